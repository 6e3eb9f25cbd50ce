import FindDuplicates
import Foundation
import JobKit
import RemoteJobs

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables,
// one at a time (J1), and `report` is read when the job has finished.
/// Finds files of equal content on several hosts.
///
/// It has the phases of `FindDuplicatesJob`: folders are listed, heads are hashed of files of one
/// size, contents of files of one size and head. Each task runs on the host that has the files;
/// names, sizes and digests travel, no contents. Here a phase waits for the one before, on all
/// hosts, so that a job that is resumed asks for the same tasks.
///
/// ```swift
/// let session = RemoteSession(job: "nightly", brokers: brokers)
/// try await session.open()
/// let job = FindDuplicatesOnHostsJob(hosts: ["h1", "h2"], in: session)
/// try await job.run()
/// ```
///
/// On each host a worker must run that has `registerDuplicates(of:host:)`; it may come later.
public final class FindDuplicatesOnHostsJob: JobController, @unchecked Sendable {
    private static let listing = JobGroup.named("listing")
    private static let heads = JobGroup.named("heads")
    private static let contents = JobGroup.named("contents")

    /// What was found, to be read when the job has finished; paths are `HOST:PATH`.
    ///
    /// Of a job that was cancelled it holds what was found until then.
    public private(set) var report = DuplicateReport()

    private let hosts: [Name]
    private let session: RemoteSession
    private var files = HostFiles()

    /// Prepares a search; the job begins when it is started.
    ///
    /// - Parameters:
    ///   - hosts: What the hosts' workers call them.
    ///   - session: The job's session.
    public init(hosts: [String], in session: RemoteSession) {
        self.hosts = hosts.map { Name($0) }
        self.session = session
        super.init(queue: TaskQueue(name: "Hosts"))
    }

    /// Says what the end of each phase starts, and starts the first.
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

    /// Names what a worker failed at and goes on; without the broker there is no going on.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: Why it failed.
    /// - Returns: Whether the search goes on.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        error is RemoteFailureError || error is UndeliverableError ? .carryOn : .failJob
    }

    /// Puts the report together.
    public override func allTasksFinished() {
        report = files.report(isComplete: true)
    }

    /// Puts together what was found until the job was cancelled.
    public override func jobCancelled() {
        report = files.report(isComplete: false)
    }
}
