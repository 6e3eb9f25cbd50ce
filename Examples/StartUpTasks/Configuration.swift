import Foundation
import Synchronization

/// The servers that the app may use.
struct Configuration: Codable, Sendable {
    /// The configuration without a file.
    static let builtIn = Configuration(servers: ["localhost"])

    /// The names of the servers, the preferred one first.
    var servers: [String]
}

/// The results of the start-up tasks for the app.
final class AppSettings: Sendable {
    private let values = Mutex((configuration: Configuration.builtIn, server: String?.none))

    var configuration: Configuration {
        get { values.withLock { $0.configuration } }
        set { values.withLock { $0.configuration = newValue } }
    }

    var server: String? {
        get { values.withLock { $0.server } }
        set { values.withLock { $0.server = newValue } }
    }
}
