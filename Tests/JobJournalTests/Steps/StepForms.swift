import Foundation
import JobJournal
import JobKit

/// Every form in which a step can be written, as users write them: compiling them is the test.
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
        let sum = journal.step("a", input: [1, 2, 3]) { numbers, _ in numbers.reduce(0, +) }
        let sent = journal.step("b", input: Receipt(count: 1), version: 2) { _, _ in
            try await send()
        }
        let made = journal.step("c", input: "file") { name, context in
            AsyncOperation { name + context.key }
        }
        let upload = journal.step("d", input: 4, making: { _, _ in Upload() })
        let batch = journal.step("e", input: 4, version: 2, making: { _, _ in Batch() })
        let retry = journal.step("f", input: 4) { count, _ in
            RetryOperation(policy) { _ in AsyncOperation { Receipt(count: count) } }
        }
        let retriedJob = journal.step("g", input: 4) { _, _ in
            RetryOperation(policy) { _ in Batch() }
        }
        let sweep = journal.step("h", input: 4) { _, _ in Sweep() }
        let retriedSend = journal.step(
            "i",
            input: 4,
            making: { _, _ in
                RetryOperation(policy) { _ in AsyncOperation { try await send() } }
            }
        )
        return [sum, sent, made, upload, batch, retry, retriedJob, sweep, retriedSend]
    }

    static func makings(_ journal: JobJournal) -> [Operation] {
        let trailing: DurableOperation<Int> = journal.step("a") { _ in AsyncOperation { 5 } }
        let labelled = journal.step("b", making: { _ in AsyncOperation { 5 } })
        let upload: DurableOperation<Receipt> = journal.step("c") { _ in Upload() }
        let closure = journal.step("d") { context in ClosureOperation { context.key } }
        let callback = journal.step("e") { _ in
            CallbackOperation<Int> { done in done(.success(1)) }
        }
        let base = journal.step("f") { _ -> ResultOperation<Receipt> in
            let upload = Upload()
            upload.name = "upload"
            return upload
        }
        let batch: DurableOperation<Int> = journal.step("g") { _ in Batch() }
        let severalLines = journal.step("h") { context in
            let upload = Upload()
            upload.name = context.key
            return upload
        }
        return [trailing, labelled, upload, closure, callback, base, batch, severalLines]
    }

    static func retries(_ journal: JobJournal) -> [Operation] {
        let async: DurableOperation<Int> = journal.step("a") { _ in
            RetryOperation(policy) { _ in AsyncOperation { 5 } }
        }
        let upload: DurableOperation<Receipt> = journal.step("b", version: 2) { _ in
            RetryOperation(policy) { _ in Upload() }
        }
        let generic = journal.step("c") { _ -> RetryOperation<ResultOperation<Receipt>> in
            RetryOperation(policy) { _ in Upload() }
        }
        let batch: DurableOperation<Int> = journal.step("d") { _ in
            RetryOperation(policy) { _ in Batch() }
        }
        let selective = journal.step(
            "e",
            making: { _ in
                RetryOperation(policy, shouldRetry: { _ in false }) { attempt in
                    AsyncOperation { attempt }
                }
            }
        )
        return [async, upload, generic, batch, selective, retry("f", of: { Upload() }, journal)]
    }

    /// Generic code, as a library around steps would have it.
    static func retry<Output: Codable & Sendable, Attempt: ResultOperation<Output>>(
        _ key: String,
        of make: @escaping @Sendable () -> Attempt,
        _ journal: JobJournal
    ) -> DurableOperation<Output> {
        journal.step(key) { _ in RetryOperation(policy) { _ in make() } }
    }

    static func voids(_ journal: JobJournal) -> [Operation] {
        let async: DurableOperation<Void> = journal.step("a") { _ in
            AsyncOperation { try await send() }
        }
        let base = journal.step("b") { _ -> ResultOperation<Void> in AsyncOperation {} }
        let sweep: DurableOperation<Void> = journal.step("c") { _ in Sweep() }
        let retry: DurableOperation<Void> = journal.step("d") { _ in
            RetryOperation(policy) { _ in AsyncOperation { try await send() } }
        }
        let retriedJob: DurableOperation<Void> = journal.step("e", version: 2) { _ in
            RetryOperation(policy) { _ in Sweep() }
        }
        let make: @Sendable (StepContext) -> ResultOperation<Void> = { _ in AsyncOperation {} }
        let stored = journal.step("f", making: make)
        let makeJob: @Sendable (StepContext) -> ResultJob<Void> = { _ in Sweep() }
        let storedJob = journal.step("g", making: makeJob)
        let makeRetry: @Sendable (StepContext) -> RetryOperation<ResultOperation<Void>> = { _ in
            RetryOperation(policy) { _ in AsyncOperation {} }
        }
        let storedRetry = journal.step("h", making: makeRetry)
        let makeRetriedJob: @Sendable (StepContext) -> RetryOperation<ResultJob<Void>> = { _ in
            RetryOperation(policy) { _ in Sweep() }
        }
        return [
            async, base, sweep, retry, retriedJob, stored, storedJob, storedRetry,
            journal.step("i", making: makeRetriedJob),
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
            trackAndQueue(journal.step("b") { _ in AsyncOperation { 6 } }) { self.sum += $0 }
            trackAndQueue(journal.scope("c").step("a") { _ in try await send() })
            trackAndQueue(
                RetryOperation(policy) { [journal] _ in journal.step("d") { _ in 7 } }
            ) { self.sum += $0 }
        }
    }
}
