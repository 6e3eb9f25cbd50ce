import FindDuplicates
import Foundation
import JobKit
import RemoteJobs

// Operation forces @unchecked. Only the job's callbacks use the variables, and JobController runs
// them one at a time (J1). `report` is read after the job has finished.
/// Finds files with equal content on several hosts.
///
/// The job has the phases of `FindDuplicatesJob`. It lists folders, hashes the heads of files of
/// equal size, and then hashes the contents of files of equal size and head. Each task runs on the
/// host that has the files, so only names, sizes and digests travel. A phase starts when the phase
/// before it has ended on all hosts. A resumed job therefore creates the same tasks.
///
/// ```swift
/// let session = RemoteSession(job: "nightly", brokers: brokers)
/// try await session.open()
/// let job = FindDuplicatesOnHostsJob(hosts: ["h1", "h2"], in: session)
/// try await job.run()
/// ```
///
/// Each host needs a worker that has called `registerDuplicates(of:host:)`. It may start later.
public final class FindDuplicatesOnHostsJob: JobController, @unchecked Sendable {
    private static let listing = JobGroup.named("listing")
    private static let heads = JobGroup.named("heads")
    private static let contents = JobGroup.named("contents")

    /// The result with paths as `HOST:PATH`, to be read after the job has finished.
    ///
    /// The report of a cancelled job holds everything found before the cancellation.
    public private(set) var report = DuplicateReport()

    private let hosts: [Name]
    private let session: RemoteSession
    private var files = HostFiles()

    /// Prepares a search.
    ///
    /// The job begins when it is started.
    ///
    /// - Parameters:
    ///   - hosts: The names under which the hosts' workers have registered.
    ///   - session: The job's session.
    public init(hosts: [String], in session: RemoteSession) {
        self.hosts = hosts.map { Name($0) }
        self.session = session
        super.init(queue: TaskQueue(name: "Hosts"))
    }

    /// Sets the completion of each phase and starts the first phase.
    public override func main() {
        setCompletion(for: Self.listing) { [self] in
            hash(files.headBatches(), Self.heads)
        }
        setCompletion(for: Self.heads) { [self] in
            hash(files.contentBatches(), Self.contents)
        }
        for host in hosts { list(nil, on: host) }
    }

    private func list(_ folder: BytePath?, on host: Name) {
        let path = folder.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "the folder"
        let input = ListFolder.Input(folder: folder.map(WirePath.init))
        let exact = folder.map { $0.isUTF8 ? path : "\(path) \($0.bytes)" } ?? ""
        let task = RemoteOperation<ListFolder>(
            input,
            key: "list \(host) \(exact)",
            in: session,
            at: host.text
        )
        task.name = "\(host): list \(path)"
        trackAndQueue(
            task,
            group: Self.listing,
            completion: { [self] task in
                switch task.result {
                case .success(let listing)?:
                    for folder in files.listed(listing, on: host) { list(folder, on: host) }
                case .failure(let error)?:
                    files.failed(path, on: host, String(describing: error))
                case nil: break
                }
            }
        )
    }

    private func hash(_ batches: [HostFiles.Batch], _ group: JobGroup) {
        for batch in batches {
            let task = RemoteOperation<HashFiles>(
                batch.input,
                key: batch.key,
                in: session,
                at: batch.host.text
            )
            task.name = "\(batch.host): \(batch.isHead ? "heads" : "contents") \(batch.number)"
            trackAndQueue(
                task,
                group: group,
                weight: Int64(batch.places.count),
                completion: { [self] task in
                    switch task.result {
                    case .success(let outcomes)?: files.hashed(batch, outcomes)
                    case .failure(let error)?:
                        let first = String(
                            decoding: batch.input.files[0].path.path.bytes,
                            as: UTF8.self
                        )
                        let what = "\(first) and \(batch.places.count - 1) more"
                        files.failed(what, on: batch.host, String(describing: error))
                    case nil: break
                    }
                }
            )
        }
    }

    /// Records the failure of a worker and continues, unless the broker is lost.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: The error of the task.
    /// - Returns: Whether the search continues.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        error is RemoteFailureError || error is UndeliverableError ? .carryOn : .failJob
    }

    /// Creates the final report.
    public override func allTasksFinished() {
        report = files.report(isComplete: true)
    }

    /// Creates the report of everything found before the cancellation.
    public override func jobCancelled() {
        report = files.report(isComplete: false)
    }
}
