import Foundation
import JobKit
import XCTest

/// The names and signatures of operations that users' code compiles against, as it would use them.
///
/// What stands here is a promise: a change that does not compile with it breaks users.
final class ContractOperations: XCTestCase {
    // Operation forces @unchecked. Nothing is stored.
    /// Overrides all that an operation's subclass may.
    private class Work: ConcurrentOperation, @unchecked Sendable {
        override func main() { finish() }
        override func didCancel() { finish(with: SampleFailure()) }
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
        let _: (any Error)? = work.error
        let description: String? = outcome?.description
        XCTAssertEqual(description, "succeeded")
        let finish: (Work) -> () -> Void = Work.finish
        let fail: (Work) -> (any Error) -> Void = Work.finish(with:)
        finish(work)()
        fail(work)(MissingResultError())
    }

    func testErrors() {
        func limit(_ error: OperationTimeoutError) -> Duration { error.limit }
        func name(_ error: CallbackLostError) -> String { error.name }
        let _: any Error.Type = MissingResultError.self
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
    }

    func testReadyMadeOperations() async throws {
        let asynchronous: ResultOperation<Int> = AsyncOperation<Int>(name: "async") { 1 }
        let closure: ResultOperation<Int> = ClosureOperation<Int>(name: "closure") { 2 }
        let callback: ResultOperation<Int> = CallbackOperation<Int>(name: "callback") { done in
            let done: @Sendable (Result<Int, any Error>) -> Void = done
            done(.success(3))
        }
        for (number, operation) in [asynchronous, closure, callback].enumerated() {
            operation.start()
            let value = try await operation.value
            XCTAssertEqual(value, number + 1)
        }
        _ = AsyncOperation { await Task.yield() }
        _ = ClosureOperation { throw MissingResultError() } as ClosureOperation<Void>
        _ = CallbackOperation<String> { $0(.failure(MissingResultError())) }
    }
}
