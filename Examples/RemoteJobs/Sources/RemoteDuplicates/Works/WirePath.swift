import FindDuplicates
import Foundation

/// A path in a message, as text if it is UTF-8, otherwise as base64 of its bytes.
struct WirePath: Codable, Hashable, Sendable {
    let path: BytePath

    private enum Key: CodingKey {
        case base64
    }

    init(_ path: BytePath) {
        self.path = path
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            path = BytePath(text)
        } else {
            let container = try decoder.container(keyedBy: Key.self)
            path = BytePath(bytes: Array(try container.decode(Data.self, forKey: .base64)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let text = String(validating: path.bytes, as: UTF8.self) {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        } else {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Data(path.bytes), forKey: .base64)
        }
    }
}

/// A file or folder that a worker could not read, and the reason.
struct WireProblem: Codable, Hashable, Sendable {
    let path: WirePath
    let reason: String

    init(_ path: BytePath, _ reason: String) {
        self.path = WirePath(path)
        self.reason = reason
    }
}
