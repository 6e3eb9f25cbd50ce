import Foundation
import JobKit
import JobService
import JobStore
import RemoteDuplicates
import RemoteJobs

/// Searches several hosts for files with equal content.
///
/// On each host, a `duplicates-worker` of the package RemoteJobs must run and share a folder.
struct FindDuplicatesOnHostsKind: JobKind {
    /// The hosts and the name of the search.
    struct Parameters: Codable, Sendable {
        /// The names under which the hosts' workers have registered.
        let hosts: [String]
        /// The job ID at the broker.
        ///
        /// If it is nil, a new one is chosen.
        let job: String?
    }

    /// `find-duplicates-on-hosts`.
    let name = "find-duplicates-on-hosts"
    /// The parameters.
    let fields = [
        ParameterField("hosts", "Hosts", .texts, hint: "as their workers call them"),
        ParameterField("job", "Job at the broker", isRequired: false, hint: "a new one"),
    ]
    /// After a crash, a search continues at its last step.
    let runsAgainAfterCrash = true

    private static let mostHosts = 1_000
    private let brokers: [BrokerAddress]

    /// Creates the kind.
    ///
    /// - Parameter brokers: The broker's nodes, at least one.
    init(brokers: [BrokerAddress]) {
        self.brokers = brokers
    }

    /// Rejects invalid names and sets the job ID.
    ///
    /// Because the ID is set, a repeated run continues where the previous one has ended.
    func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters {
        let hosts = parameters.hosts.map { $0.trimmingCharacters(in: .whitespaces) }
        guard 1...Self.mostHosts ~= hosts.count else {
            throw InvalidParameter("hosts", "There must be 1 to \(Self.mostHosts) hosts.")
        }
        guard hosts.allSatisfy(Self.isName) else {
            throw InvalidParameter("hosts", "The name of a host has 1 to 100 bytes, and no NUL.")
        }
        guard Set(hosts.map { Name($0) }).count == hosts.count else {
            throw InvalidParameter("hosts", "A host is named twice.")
        }
        let job = parameters.job ?? "job-server \(UUID().uuidString)"
        guard Self.isName(job) else {
            throw InvalidParameter("job", "The name of a job has 1 to 100 bytes, and no NUL.")
        }
        return Parameters(hosts: hosts, job: job)
    }

    /// The hosts.
    func title(of parameters: Parameters) -> String {
        let names = parameters.hosts.prefix(5).map { String($0.prefix(30)) }.joined(separator: ", ")
        let more = parameters.hosts.count - 5
        return "Duplicates on \(names)" + (more > 0 ? " and \(more) more" : "")
    }

    /// Creates the search.
    ///
    /// Its tasks run on the hosts, so they need no permit of this server.
    func makeJob(
        _ parameters: Parameters,
        in environment: JobEnvironment
    ) throws -> PreparedJob {
        let session = RemoteSession(job: parameters.job ?? "", brokers: brokers)
        let job = HostsSearchJob(hosts: parameters.hosts, in: session)
        job.name = title(of: parameters)
        return PreparedJob(job) {
            guard let report = job.report else { return nil }
            return DuplicatesResult(report)
        }
    }

    private static func isName(_ text: String) -> Bool { Name(text).isValid }
}
