import JobJournal
import JobKit

// Operation forces @unchecked. The job's serial callbacks make all changes.
/// Lists, squares and adds up numbers in nested jobs, with failures and retries.
final class CrashingJob: ResultJob<String>, @unchecked Sendable {
    private let journal: JobJournal
    private let log: CrashLog
    private var sum = 0
    private var callbacks: Set<String> = []

    init(_ journal: JobJournal, _ log: CrashLog) {
        self.journal = journal
        self.log = log
        super.init()
    }

    override func main() {
        for list in 0..<4 {
            let step = journal.step("list \(list)") { [log] _ in
                log.write("runs list \(list)")
                return Array(list..<list + 4)
            }
            trackAndQueue(step, onSuccess: { self.square($0, list) })
        }
        let fails = journal.step("fails") { _ -> Int in throw Refused() }
        trackAndQueue(
            fails,
            failure: .carryOn,
            completion: { step in
                if step.error is Refused { self.callbacks.insert("refused") }
            }
        )
        let flaky = journal.operationStep("flaky") { [log] _ in
            RetryOperation(.exponential(attempts: 3, initialDelay: .zero)) { attempt in
                ClosureOperation {
                    guard attempt == 2 else { throw Refused() }
                    log.write("runs flaky")
                    return 1000
                }
            }
        }
        trackAndQueue(flaky, onSuccess: { self.add($0, "flaky") })
    }

    private func square(_ numbers: [Int], _ list: Int) {
        callbacks.insert("list \(list)")
        for number in numbers {
            let key = "square \(list) \(number)"
            let step = journal.step(key, input: number) { [log] _ in
                log.write("runs \(key)")
                return number * number
            }
            trackAndQueue(step, onSuccess: { self.add($0, key) })
        }
        trackAndQueue(
            NestedSum(journal.scope("nested \(list)"), list, log),
            onSuccess: {
                self.add($0, "nested \(list)")
            }
        )
    }

    private func add(_ number: Int, _ callback: String) {
        sum += number
        callbacks.insert(callback)
    }

    override func allTasksFinished() {
        finish(returning: "\(sum) \(callbacks.sorted().joined(separator: ","))")
    }
}

// Operation forces @unchecked. The job's serial callbacks make all changes.
/// Runs steps one after another, in their own scope.
final class NestedSum: ResultJob<Int>, @unchecked Sendable {
    private let journal: JobJournal
    private let list: Int
    private let log: CrashLog
    private var sum = 0

    init(_ journal: JobJournal, _ list: Int, _ log: CrashLog) {
        self.journal = journal
        self.list = list
        self.log = log
        super.init()
    }

    override func main() { step(0) }

    private func step(_ number: Int) {
        guard number < 4 else { return finish(returning: sum) }
        let step = journal.operationStep("step \(number)") { [list, log] _ in
            AsyncOperation {
                log.write("runs nested \(list).step \(number)")
                return number
            }
        }
        trackAndQueue(
            step,
            onSuccess: {
                self.sum += $0
                self.step(number + 1)
            }
        )
    }
}

struct Refused: Error {}
