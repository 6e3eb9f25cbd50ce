import FindDuplicates
import Foundation
import JobKit
import RemoteDuplicates
import RemoteJobs

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variable,
// one at a time (J1), and `report` is read when the job has finished.
/// Opens a session, searches hosts in it, and closes it however the search has ended.
///
/// A search that has succeeded is forgotten at the broker. One that was cancelled or has failed is
/// not: a later one of the same name goes on where it was.
final class HostsSearchJob: JobController, @unchecked Sendable {
    /// What was found; nil if the search was never begun.
    var report: DuplicateReport? { hasBegun ? search.report : nil }

    private let session: RemoteSession
    private let search: FindDuplicatesOnHostsJob
    private var hasBegun = false

    init(hosts: [String], in session: RemoteSession) {
        self.session = session
        search = FindDuplicatesOnHostsJob(hosts: hosts, in: session)
        search.name = "search"
        super.init(queue: TaskQueue(name: "Searches of hosts"))
    }

    override func main() {
        let session = session
        let opening = AsyncOperation(name: "reach the broker") {
            try await withTaskCancellationHandler {
                try await session.open()
            } onCancel: {
                Task { await session.close() }
            }
        }
        trackAndQueue(
            opening,
            weight: 0,
            onSuccess: { [self] _ in
                hasBegun = true
                trackAndQueue(search) { [self] search in close(after: search) }
            }
        )
    }

    /// A search that has failed is delivered, so that its session is closed.
    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        task === search ? .carryOn : .failJob
    }

    override func jobCancelled() {
        Task { [session] in await session.close() }
    }

    private func close(after search: FindDuplicatesOnHostsJob) {
        let (session, error) = (session, search.error)
        let closing = AsyncOperation(name: "leave the broker") {
            // What is left of the job costs room at its broker, and no search.
            try? await session.close(removingJob: error == nil)
        }
        trackAndQueue(
            closing,
            weight: 0,
            completion: { [self] _ in
                if let error { finish(with: error) }
            }
        )
    }
}
