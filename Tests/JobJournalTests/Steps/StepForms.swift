import Foundation
import JobJournal
import JobKit

/// Every form of a step, as users write it.
///
/// Compiling this file is the test.
enum StepForms {
    struct Receipt: Codable, Sendable, Equatable {
        var count: Int
    }

    final class Upload: ResultOperation<Receipt>, @unchecked Sendable {
        override func main() { finish(returning: Receipt(count: 1)) }
    }

    final class Batch: ResultJob<Int>, @unchecked Sendable {
        override func allTasksFinished() { finish(returning: 7) }
    }

    final class Sweep: ResultJob<Void>, @unchecked Sendable {}

    static func send() async throws {}
    static func receipt() async throws -> Receipt { Receipt(count: 2) }

    static let policy = RetryPolicy.exponential(attempts: 3, initialDelay: .zero)

    static func bodies(_ journal: JobJournal) -> [Operation] {
        let number: DurableOperation<Int> = journal.step("a") { _ in 5 }
        let text = journal.step("b", version: 2) { context in
            "\(context.key) \(context.idempotencyKey) \(context.mayHaveBegun)"
        }
        let got = journal.step("c") { _ in try await receipt() }
        let sent = journal.step("d") { _ in try await send() }
        let typed: DurableOperation<Receipt> = journal.step("e") { context in
            let first = try await Self.receipt()
            guard !context.mayHaveBegun else { return first }
            return Receipt(count: first.count + 1)
        }
        let nothing: DurableOperation<Void> = journal.step("f") { _ in }
        let several = journal.step("g") { _ -> [String: Int] in
            try await send()
            return ["one": 1]
        }
        let optional = journal.step("h") { _ -> Int? in nil }
        let manyLines = journal.step("i") { _ in
            try await send()
            try await send()
        }
        let named = journal.step("j", version: 3, receiptOf)
        return [
            number, text, got, sent, typed, nothing, several, optional, manyLines, named,
        ]
    }

    @Sendable static func receiptOf(_ context: StepContext) async throws -> Receipt {
        try await receipt()
    }

    static func inputs(_ journal: JobJournal) -> [Operation] {
        let sum = journal.step("a", input: [1, 2, 3]) { _ in [1, 2, 3].reduce(0, +) }
        let sent = journal.step("b", input: Receipt(count: 1), version: 2) { _ in
            try await send()
        }
        let made = journal.operationStep("c", input: "file") { context in
            AsyncOperation { context.key }
        }
        let upload = journal.operationStep("d", input: 4, making: { _ in Upload() })
        let batch = journal.operationStep("e", input: 4, version: 2, making: { _ in Batch() })
        let retry = journal.operationStep("f", input: 4) { _ in
            RetryOperation(policy) { _ in AsyncOperation { Receipt(count: 4) } }
        }
        let retriedJob = journal.operationStep("g", input: 4) { _ in
            RetryOperation(policy) { _ in Batch() }
        }
        let sweep = journal.operationStep("h", input: 4) { _ in Sweep() }
        let retriedSend = journal.operationStep(
            "i",
            input: 4,
            making: { _ in
                RetryOperation(policy) { _ in AsyncOperation { try await send() } }
            }
        )
        return [sum, sent, made, upload, batch, retry, retriedJob, sweep, retriedSend]
    }

    static func makings(_ journal: JobJournal) -> [Operation] {
        let trailing: DurableOperation<Int> = journal.operationStep("a") { _ in AsyncOperation { 5 }
        }
        let labelled = journal.operationStep("b", making: { _ in AsyncOperation { 5 } })
        let upload: DurableOperation<Receipt> = journal.operationStep("c") { _ in Upload() }
        let closure = journal.operationStep("d") { context in ClosureOperation { context.key } }
        let callback = journal.operationStep("e") { _ in
            CallbackOperation<Int> { done in done(.success(1)) }
        }
        let base = journal.operationStep("f") { _ -> ResultOperation<Receipt> in
            let upload = Upload()
            upload.name = "upload"
            return upload
        }
        let batch: DurableOperation<Int> = journal.operationStep("g") { _ in Batch() }
        let severalLines = journal.operationStep("h") { context in
            let upload = Upload()
            upload.name = context.key
            return upload
        }
        return [trailing, labelled, upload, closure, callback, base, batch, severalLines]
    }

    static func retries(_ journal: JobJournal) -> [Operation] {
        let async: DurableOperation<Int> = journal.operationStep("a") { _ in
            RetryOperation(policy) { _ in AsyncOperation { 5 } }
        }
        let upload: DurableOperation<Receipt> = journal.operationStep("b", version: 2) { _ in
            RetryOperation(policy) { _ in Upload() }
        }
        let generic = journal.operationStep("c") { _ -> RetryOperation<ResultOperation<Receipt>> in
            RetryOperation(policy) { _ in Upload() }
        }
        let batch: DurableOperation<Int> = journal.operationStep("d") { _ in
            RetryOperation(policy) { _ in Batch() }
        }
        let selective = journal.operationStep(
            "e",
            making: { _ in
                RetryOperation(policy, shouldRetry: { _ in false }) { attempt in
                    AsyncOperation { attempt }
                }
            }
        )
        return [async, upload, generic, batch, selective, retry("f", of: { Upload() }, journal)]
    }

    /// Generic code, as in a library for steps.
    static func retry<Output: Codable & Sendable, Attempt: ResultOperation<Output>>(
        _ key: String,
        of make: @escaping @Sendable () -> Attempt,
        _ journal: JobJournal
    ) -> DurableOperation<Output> {
        journal.operationStep(key) { _ in RetryOperation(policy) { _ in make() } }
    }

    static func voids(_ journal: JobJournal) -> [Operation] {
        let async: DurableOperation<Void> = journal.operationStep("a") { _ in
            AsyncOperation { try await send() }
        }
        let base = journal.operationStep("b") { _ -> ResultOperation<Void> in AsyncOperation {} }
        let sweep: DurableOperation<Void> = journal.operationStep("c") { _ in Sweep() }
        let retry: DurableOperation<Void> = journal.operationStep("d") { _ in
            RetryOperation(policy) { _ in AsyncOperation { try await send() } }
        }
        let retriedJob: DurableOperation<Void> = journal.operationStep("e", version: 2) { _ in
            RetryOperation(policy) { _ in Sweep() }
        }
        let make: @Sendable (StepContext) -> ResultOperation<Void> = { _ in AsyncOperation {} }
        let stored = journal.operationStep("f", making: make)
        let makeJob: @Sendable (StepContext) -> ResultJob<Void> = { _ in Sweep() }
        let storedJob = journal.operationStep("g", making: makeJob)
        let makeRetry: @Sendable (StepContext) -> RetryOperation<ResultOperation<Void>> = { _ in
            RetryOperation(policy) { _ in AsyncOperation {} }
        }
        let storedRetry = journal.operationStep("h", making: makeRetry)
        let makeRetriedJob: @Sendable (StepContext) -> RetryOperation<ResultJob<Void>> = { _ in
            RetryOperation(policy) { _ in Sweep() }
        }
        return [
            async, base, sweep, retry, retriedJob, stored, storedJob, storedRetry,
            journal.operationStep("i", making: makeRetriedJob),
        ]
    }

    /// Steps in a job, with each kind of callback.
    final class Import: JobController, @unchecked Sendable {
        let journal: JobJournal
        var sum = 0

        init(_ journal: JobJournal) {
            self.journal = journal
            super.init()
        }

        override func main() {
            trackAndQueue(journal.step("a") { _ in 5 }, onSuccess: { self.sum += $0 })
            let six = journal.operationStep("b") { _ in AsyncOperation { 6 } }
            trackAndQueue(six) { self.sum += $0 }
            trackAndQueue(journal.scope("c").step("a") { _ in try await send() })
            trackAndQueue(
                RetryOperation(policy) { [journal] _ in journal.step("d") { _ in 7 } }
            ) { self.sum += $0 }
        }
    }
}
