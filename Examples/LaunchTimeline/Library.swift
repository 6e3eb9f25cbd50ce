import Foundation
import Synchronization

/// The content of the app: the files of a folder, each with a checksum.
final class Library: Sendable {
    private struct State {
        var files: [URL] = []
        var checksums: [URL: UInt64] = [:]
    }

    private let folder: URL
    private let state = Mutex(State())

    init(folder: URL) { self.folder = folder }

    var files: [URL] { state.withLock { $0.files } }
    var checksums: [URL: UInt64] { state.withLock { $0.checksums } }

    /// Lists the folder's regular files in order of their paths.
    func list() throws {
        let files = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .sorted { $0.path < $1.path }
        state.withLock { $0.files = files }
    }

    /// Reads and hashes every second file, either those with even indices or those with odd ones.
    ///
    /// > Source: FNV-1a, Fowler, Noll and Vo, 1991.
    func hash(oddPlaces: Bool) throws {
        for (place, file) in files.enumerated() where (place % 2 == 1) == oddPlaces {
            let checksum = try Data(contentsOf: file)
                .reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            state.withLock { $0.checksums[file] = checksum }
        }
    }
}
