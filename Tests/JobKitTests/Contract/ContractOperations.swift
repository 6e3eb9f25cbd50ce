import Foundation
import JobKit
import XCTest

/// The names and signatures of operations on which users' code depends, in typical uses.
///
/// They are a promise: a change that does not compile with them breaks users' code.
final class ContractOperations: XCTestCase {
    // Operation forces @unchecked. The class has no stored properties.
    /// Overrides every overridable member of an operation.
    private class Work: ConcurrentOperation, @unchecked Sendable {
        override func main() { finish() }
        override func didCancel() { finish(with: SampleFailure()) }
        override func willFinish() {}
        override var statusNote: String? { nil }
    }

    private final class Number: ResultOperation<Int>, @unchecked Sendable {
        override func main() { finish(returning: 1) }
    }

    private struct SampleFailure: Error {}

    func testOperation() async {
        let work = Work()
        work.maximumRuntime = .seconds(1)
        let _: Duration? = work.maximumRuntime
        work.maximumRuntime = nil
        work.maximumStopTime = .seconds(1)
        let _: Duration? = work.maximumStopTime
        work.maximumStopTime = nil
        work.clock = ContinuousClock()
        let _: any Clock<Duration> = work.clock
        let perform: (Duration, @escaping @Sendable () -> Void) -> Void = work.perform(after:_:)
        perform(.seconds(1)) {}
        let report: (Double) -> Void = work.reportProgress
        report(0.5)
        let _: Int = (work as Operation).operationID
        work.start()
        let wait: () async -> Void = { await (work as Operation).waitForFinish() }
        await wait()
        let outcome: OperationOutcome? = work.outcome
        switch outcome {
        case .succeeded?, .cancelled?, nil: break
        case .failed(let error)?: let _: any Error = error
        }
        let _: Bool? = outcome?.isSuccess
        let _: (any Error)? = outcome?.error
        let _: (any Error)? = work.error
        let _: Bool = work.isAbandoned
        let description: String? = outcome?.description
        XCTAssertEqual(description, "succeeded")
        let finish: (Work) -> () -> Void = Work.finish
        let fail: (Work) -> (any Error) -> Void = Work.finish(with:)
        finish(work)()
        fail(work)(MissingResultError(name: "work"))
    }

    func testRun() async throws {
        try await Work().run()
        let queue: any OperationScheduling = TaskQueue()
        try await Work().run(on: queue, timeout: .seconds(60), stopWithin: .seconds(60))
        try await Work().run(timeout: .seconds(60))
        try await Number().run()
        let number: Int = try await Number().run(on: nil, timeout: nil, stopWithin: .seconds(60))
        XCTAssertEqual(number, 1)
        let inferred = try await Number().run()
        XCTAssertEqual(inferred, number)
        async let _ = Number().run()
        async let later = Number().run()
        async let nothing: Void = Work().run()
        let sum = try await later + later
        try await nothing
        XCTAssertEqual(sum, 2)
        let generic = try await value(of: ClosureOperation { "a" })
        XCTAssertEqual(generic, "a")
        let retried: Int = try await value(
            of: RetryOperation(.exponential(attempts: 1, initialDelay: .zero)) { _ in Number() }
        )
        XCTAssertEqual(retried, 1)
    }

    private func value<Task: ValueProducing>(of task: Task) async throws -> Task.Success {
        try await task.run()
        let _: Result<Task.Success, any Error>? = task.result
        return try await task.value
    }

    func testErrors() {
        func described(_ error: any LocalizedError & CustomStringConvertible) -> [String?] {
            [error.description, error.errorDescription, error.localizedDescription]
        }
        let (second, text): (Duration, String) = (.seconds(1), "a: executing")
        let timeout = OperationTimeoutError(name: "a", limit: second)
        let missing = MissingResultError(name: "a")
        let lost = CallbackLostError(name: "a")
        let jobTimeout = JobTimeoutError(name: "a", limit: second, explanation: text)
        let stopTimeout = JobStopTimeoutError(name: "a", explanation: text)
        let _: [String] = [
            timeout.name, missing.name, lost.name, jobTimeout.name, stopTimeout.name,
        ]
        let _: [Duration] = [timeout.limit, jobTimeout.limit]
        let _: [String] = [jobTimeout.explanation, stopTimeout.explanation]
        let all: [any LocalizedError & CustomStringConvertible] = [
            timeout, missing, lost, jobTimeout, stopTimeout,
        ]
        for error in all {
            XCTAssertEqual(Set(described(error)).count, 1)
            XCTAssertTrue(error.description.hasPrefix("a "), error.description)
            XCTAssertTrue(error.description.hasSuffix("."), error.description)
            XCTAssertFalse(error.description.contains(text), error.description)
        }
        let _: any Sendable.Type = OperationOutcome.self
    }

    func testResultOperation() async throws {
        let number = Number()
        number.start()
        let value: Int = try await number.value
        let result: Result<Int, any Error>? = number.result
        XCTAssertEqual(try result?.get(), value)
        let finish: (Number) -> (Int) -> Void = Number.finish(returning:)
        finish(number)(2)
        let _: ConcurrentOperation = number
        let _: any ValueProducing<Int> = number
    }

    func testReadyMadeOperations() async throws {
        let asynchronous: ResultOperation<Int> =
            AsyncOperation<Int>(name: "async", priority: .high) { 1 }
        let closure: ResultOperation<Int> = ClosureOperation<Int>(name: "closure") { 2 }
        let callback: ResultOperation<Int> = CallbackOperation<Int>(name: "callback") { done in
            let done: @Sendable (Result<Int, any Error>) -> Void = done
            done(.success(3))
        }
        let event: ResultOperation<Int> = EventOperation<Int>(name: "event")
        event.finish(returning: 4)
        for (number, operation) in [asynchronous, closure, callback, event].enumerated() {
            operation.start()
            let value = try await operation.value
            XCTAssertEqual(value, number + 1)
        }
        _ = EventOperation<Void>()
        _ = AsyncOperation { await Task.yield() }
        _ = AsyncOperation(priority: .low) { await Task.yield() }
        _ = ClosureOperation { throw SampleFailure() } as ClosureOperation<Void>
        _ = CallbackOperation<String> { $0(.failure(SampleFailure())) }
    }
}
