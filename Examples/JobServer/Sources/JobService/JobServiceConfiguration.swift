import Foundation

/// How a server runs; the defaults are those of the command.
public struct JobServiceConfiguration: Sendable {
    /// The address to listen on; one other than loopback needs a ``token``.
    public var host = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port = 8_080
    /// A file that the port is written to when requests are served.
    public var portFile: String?
    /// The database's file.
    public var data = "job-server.sqlite"
    /// The folders that jobs may read.
    public var allowedFolders: [String] = []
    /// Names that requests may use for this server besides its own.
    public var allowedHosts: [String] = []
    /// How many jobs run at a time.
    public var jobs = 4
    /// How many of their tasks run at a time.
    public var width = ProcessInfo.processInfo.activeProcessorCount
    /// How many runs may be queued.
    public var queueLimit = 1_000
    /// How long runs may go on when the server is to stop.
    public var grace = Duration.seconds(5)
    /// What clients must know; nil lets everybody in who can connect.
    public var token: String?
    /// How many days a run is kept after its end.
    public var keepDays = 30
    /// Whether runs that a crash ended are repeated, if their kind may be.
    public var resumes = false
    /// How many connections are served at a time.
    public var connectionLimit = 1_024
    /// How many may listen to events at a time.
    public var listenerLimit = 100
    /// How long connections may be slow or silent.
    var timeLimits = ConnectionClock.Limits()

    /// Makes the configuration of a server on loopback.
    public init() {}

    /// Refuses values that no server can run with.
    ///
    /// - Throws: ``StartUpError`` of status 64.
    func validate() throws(StartUpError) {
        let checks: [(Bool, String)] = [
            ((0...65_535).contains(port), "The port must be from 0 to 65535."),
            (jobs >= 1, "The number of jobs must be at least 1."),
            (width >= 1, "The width must be at least 1."),
            (queueLimit >= 0, "The queue's limit must not be negative."),
            (grace >= .zero, "The grace must not be negative."),
            ((0...36_500).contains(keepDays), "Runs can be kept for 0 to 36500 days."),
            (!data.isEmpty, "The database needs a file."),
            (token?.isEmpty != true, "The token must not be empty."),
            (
                isLoopback || token != nil,
                "An address other than loopback needs a token: \(host) would let everybody in."
            ),
        ]
        for (isGood, sentence) in checks where !isGood { throw StartUpError(64, sentence) }
    }

    private var isLoopback: Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isIPv4 = octets.count == 4 && octets.allSatisfy { $0 != nil } && octets[0] == 127
        return isIPv4 || host == "localhost" || host == "::1"
    }

    /// The names of this host.
    var hostNames: HostNames {
        var names = [host]
        if isLoopback {
            names += ["localhost", "127.0.0.1", "::1"]
        } else {
            names += [ProcessInfo.processInfo.hostName]
        }
        return HostNames(own: names, allowed: allowedHosts)
    }
}
