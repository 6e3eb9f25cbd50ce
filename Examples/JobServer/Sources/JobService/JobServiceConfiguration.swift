import Foundation
import JobStore

/// The configuration of a server, with the same defaults as the command.
public struct JobServiceConfiguration: Sendable {
    /// The address to listen on.
    ///
    /// An address other than loopback needs a ``token``.
    public var host = "127.0.0.1"
    /// The port, or 0 for a free one.
    public var port = 8_080
    /// A file to which the port is written when requests are served.
    public var portFile: String?
    /// The database's file.
    public var data = "job-server.sqlite"
    /// The folders that jobs may read.
    public var allowedFolders: [String] = []
    /// Further names that requests may use for this server.
    public var allowedHosts: [String] = []
    /// How many jobs run at a time.
    public var jobs = 4
    /// How many of their tasks run at a time, shared evenly among the running jobs.
    public var width = ProcessInfo.processInfo.activeProcessorCount
    /// How many runs may be queued.
    public var queueLimit = 1_000
    /// How long runs may continue after the server was asked to stop.
    public var grace = Duration.seconds(5)
    /// How long a run may take, or nil for no limit.
    public var timeLimit: Duration?
    /// How long a cancelled run may take to stop before it is abandoned.
    public var giveUp = Duration.seconds(30)
    /// After this many starts that ended with the process, a run is not resumed again.
    public var attempts = 5
    /// The failures that a confirmed submission and a reported end survive.
    public var durability = Durability.powerLoss
    /// Whether ``JobService/run()`` ends at SIGTERM and SIGINT, and immediately at the second
    /// signal.
    public var handlesSignals = true
    /// The tokens, of which clients need one.
    ///
    /// If there are none, every client has access.
    public var tokens: [AccessToken] = []
    /// How many days a run is kept after its end.
    public var keepDays = 30
    /// Whether a run that ended in a crash is repeated if its kind permits it.
    public var resumes = false
    /// How many connections are served at a time.
    public var connectionLimit = 1_024
    /// How many open connections may have sent no request.
    ///
    /// If there are more, the oldest one is closed.
    public var silentConnectionLimit = 200
    /// How many listeners of events may be connected.
    public var listenerLimit = 100
    /// How long connections may be slow or silent.
    var timeLimits = ConnectionClock.Limits()

    /// Creates the configuration of a server on loopback.
    public init() {}

    /// Rejects invalid values.
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
            (giveUp >= .zero, "The time to give up must not be negative."),
            (timeLimit.map { $0 > .zero } ?? true, "The time limit must be positive."),
            (attempts >= 1, "The number of attempts must be at least 1."),
            (
                tokens.allSatisfy { $0.text.count >= AccessToken.leastLength },
                "A token has at least \(AccessToken.leastLength) characters."
            ),
            (
                isLoopback || !tokens.isEmpty,
                "An address other than loopback needs a token: \(host) would let everybody in."
            ),
        ]
        for (isGood, sentence) in checks where !isGood { throw StartUpError(64, sentence) }
        for folder in allowedFolders where AllowedFolders([folder]).paths.isEmpty {
            throw StartUpError(64, "There is no folder \(folder) to allow.")
        }
    }

    /// Whether only this host can connect.
    public var isLoopback: Bool {
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
