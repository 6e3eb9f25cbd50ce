import Foundation
import Synchronization

/// Which servers the app may use.
struct Configuration: Codable, Sendable {
    /// What the app uses without a file.
    static let builtIn = Configuration(servers: ["localhost"])

    /// Names of servers, the preferred one first.
    var servers: [String]
}

/// What the start-up tasks found out for the app.
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
