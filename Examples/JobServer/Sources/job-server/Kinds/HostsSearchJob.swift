import FindDuplicates
import Foundation
import JobKit
import RemoteDuplicates
import RemoteJobs

// Operation forces @unchecked. Only the job's callbacks use the variable, and JobController runs
// them one at a time (J1). `report` is read after the job has finished.
/// Opens a session, searches hosts with it, and closes it after any end of the search.
///
/// If the search has succeeded, it is removed from the broker. If it was cancelled or has failed, a
/// later search with the same name continues it.
final class HostsSearchJob: JobController, @unchecked Sendable {
    /// The result, or nil if the search has not started.
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

    /// Delivers a failed search, so that its session is closed.
    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        task === search ? .carryOn : .failJob
    }

    override func jobCancelled() {
        Task { [session] in await session.close() }
    }

    private func close(after search: FindDuplicatesOnHostsJob) {
        let (session, error) = (session, search.error)
        let closing = AsyncOperation(name: "leave the broker") {
            // Data that remains at the broker costs space, but does not make the search fail.
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
