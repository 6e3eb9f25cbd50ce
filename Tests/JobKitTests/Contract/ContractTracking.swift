import Foundation
import JobKit
import XCTest

/// The calls of `track` and `trackAndQueue` that compile, and the closure that each one chooses.
///
/// An unlabeled trailing closure of a task that has a value receives the value. If the closure
/// compiles only with the operation, the compiler refuses the call: "call can throw, but it is not
/// marked with 'try'", with the warning "label the closure `completion:`, or use the task's value".
/// Swift's limits are:
///
/// - With `try`, such a call compiles. It traps, and the warning remains.
/// - A `make` closure of several statements must name its result type. Otherwise Swift infers
///   `Operation`, and the retry has no value.
final class ContractTracking: XCTestCase {
    // Operation forces @unchecked. Only the job's callbacks change the properties.
    private final class Calls: ResultJob<Void>, @unchecked Sendable {
        var values: [String] = []
        var operations: [String] = []

        private func number(_ name: String) -> ClosureOperation<Int> {
            ClosureOperation(name: name) { 7 }
        }

        private func plain(_ name: String) -> BlockOperation {
            let operation = BlockOperation {}
            operation.name = name
            return operation
        }

        private func add(_ value: some Any) { values.append("\(value)") }
        private func add(to task: Operation) { operations.append(task.name ?? "") }

        private var retry: RetryOperation<ClosureOperation<Int>> {
            RetryOperation(.exponential(attempts: 1, initialDelay: .zero)) { _ in
                ClosureOperation { 7 }
            }
        }

        override func main() {
            let policy = RetryPolicy.exponential(attempts: 1, initialDelay: .zero)
            // A task that has a value: the closure receives the value.
            trackAndQueue(number("1")) { value in self.add(value) }
            trackAndQueue(number("2")) { self.add($0) }
            trackAndQueue(number("3")) { _ in self.values.append("7") }
            trackAndQueue(number("4")) { (value: Int) in self.add(value) }
            trackAndQueue(number("5")) { value in
                let text = "\(value)"
                self.values.append(text)
            }
            trackAndQueue(number("6"), onSuccess: { self.add($0) })
            trackAndQueue(number("7"), group: "numbers", failure: .carryOn) { self.add($0) }
            trackAndQueue(AsyncOperation { 7 }) { self.add($0) }
            trackAndQueue(ClosureOperation {}) { self.values.append("7") }
            trackAndQueue(ClosureOperation {}) { _ in self.values.append("7") }
            trackAndQueue(Seven()) { value in self.add(value) }
            trackAndQueue(Nothing()) { self.values.append("7") }
            trackAndQueue(retry) { value in self.add(value) }
            trackAndQueue(RetryOperation(policy) { _ in ClosureOperation { 7 } }) { self.add($0) }
            let named = RetryOperation(policy) { attempt -> ClosureOperation<Int> in
                let value = attempt + 6
                return ClosureOperation { value }
            }
            trackAndQueue(named) { value in self.add(value) }
            let tracked = number("tracked")
            track(tracked) { value in self.add(value) }
            tracked.start()
            // With a label, the closure receives the operation.
            trackAndQueue(number("a"), completion: { task in self.add(to: task) })
            trackAndQueue(number("b"), completion: { self.add(to: $0) })
            let handler: (ClosureOperation<Int>) -> Void = { self.add(to: $0) }
            trackAndQueue(number("c"), completion: handler)
            // A task without a value: the closure receives the operation.
            trackAndQueue(plain("d")) { task in self.add(to: task) }
            trackAndQueue(plain("e")) { self.add(to: $0) }
            trackAndQueue(number("f") as Operation) { task in self.add(to: task) }
            let retried = RetryOperation(policy) { _ in BlockOperation {} }
            retried.name = "g"
            trackAndQueue(retried) { task in self.add(to: task) }
            // Without a closure.
            trackAndQueue(number("h"))
            trackAndQueue(number("h"), completion: nil)
            trackAndQueue(plain("h"), completion: nil)
            let none: ((ClosureOperation<Int>) -> Void)? = nil
            trackAndQueue(number("h"), completion: none)
        }

        override func taskFinished(_ task: Operation) {
            if task.name != "h" { operations.append("taskFinished") }
        }
    }

    private final class Seven: ResultJob<Int>, @unchecked Sendable {
        override func main() { finish(returning: 7) }
    }

    private final class Nothing: ResultJob<Void>, @unchecked Sendable {}

    func testEachCallChoosesItsClosure() async throws {
        let calls = Calls()
        try await calls.run()
        XCTAssertEqual(calls.values, Array(repeating: "7", count: 16))
        XCTAssertEqual(calls.operations.sorted(), ["a", "b", "c", "d", "e", "f", "g"])
    }

    /// Calls that the compiler rejects without `try`.
    ///
    /// If one of them no longer chose a form that throws, its `try` would be a warning, which
    /// `.ci/run` does not accept.
    @available(*, deprecated)
    private func refused(_ job: JobController, _ task: ClosureOperation<Int>) throws {
        try job.track(task) { task in print(task.isFinished) }
        try job.track(task) { print($0.isFinished) }
        try job.track(task) { (task: ClosureOperation<Int>) in print(task) }
        try job.trackAndQueue(task, group: "numbers") { task in
            let name = task.name ?? ""
            print(name)
        }
        try job.trackAndQueue(Seven()) { seven in print(seven.isFinished) }
        try job.trackAndQueue(ClosureOperation {}) { task in print(task.isFinished) }
        try job.trackAndQueue(
            RetryOperation(.exponential(attempts: 1, initialDelay: .zero)) { _ in
                ClosureOperation { 7 }
            }
        ) { retry in print(retry.isFinished) }
    }

    private func track<Task: ValueProducing>(_ task: Task, in job: JobController, _ calls: Calls) {
        job.trackAndQueue(task) { value in calls.values.append("\(value)") }
    }

    func testGenericCodeReceivesTheValue() async throws {
        let (job, calls) = (JobController(), Calls())
        track(ClosureOperation { "a" }, in: job, calls)
        track(Seven(), in: job, calls)
        try await job.run()
        XCTAssertEqual(calls.values.sorted(), ["7", "a"])
    }
}
