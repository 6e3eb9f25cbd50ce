import Foundation
import JobJournal
import JobKit

// Operation forces @unchecked. The job's serial callbacks make all changes.
/// Sends each batch of a file to a server.
///
/// If it is started again, it sends only the rest.
final class RowImport: ResultJob<RowImport.Report>, @unchecked Sendable {
    struct Report: Equatable, Sendable {
        var rows = 0
        /// Batches with an outcome from an earlier session.
        var known = 0
        /// Batches that this session has sent.
        var sent = 0
        /// The number of those that an earlier session may have started.
        var inDoubt = 0
    }

    private let batches: [RowBatch]
    private let client: RowClient
    private let journal: JobJournal
    private let inDoubt = EventCount()
    private var report = Report()

    init(of batches: [RowBatch], to client: RowClient, journal: JobJournal) {
        self.batches = batches
        self.client = client
        self.journal = journal
        super.init(queue: TaskQueue(name: "requests", maxConcurrentOperationCount: 4))
    }

    override func main() {
        for batch in batches {
            trackAndQueue(
                step(of: batch),
                completion: { step in
                    if step.wasKnown { self.report.known += 1 } else { self.report.sent += 1 }
                    if case .success(let count)? = step.result { self.report.rows += count }
                }
            )
        }
    }

    /// Creates the step of a batch.
    ///
    /// Its input is the checksum, so the step fails if the file has changed.
    private func step(of batch: RowBatch) -> DurableOperation<Int> {
        journal.operationStep(batch.key, input: batch.checksum) { [client, inDoubt] context in
            if context.mayHaveBegun { inDoubt.add() }
            return RetryOperation(.exponential(attempts: 8, initialDelay: .milliseconds(20))) { _ in
                AsyncOperation {
                    try await client.send(batch, idempotencyKey: context.idempotencyKey)
                }
            }
        }
    }

    override func allTasksFinished() {
        report.inDoubt = inDoubt.value
        finish(returning: report)
    }
}
