import Foundation
import JobKit
import JobKitTesting

// Operation forces @unchecked. The properties are constants.
/// Executes until it is cancelled, and records the cancellation.
final class NotingOperation: ConcurrentOperation, @unchecked Sendable {
    let began = Gate()
    private let log: EventLog

    init(_ name: String, _ log: EventLog) {
        self.log = log
        super.init()
        self.name = name
    }

    override func main() { began.open() }

    override func didCancel() {
        log.record(name ?? "")
        finish()
    }
}

/// A random tree of jobs in which all tasks execute until they are cancelled (J8).
struct HeldTree {
    let root: ScriptedJob
    let log = EventLog()
    /// The names in the order of cancellation: a job before its tasks, and tasks in tracking order.
    private(set) var order: [String] = []
    private(set) var leaves: [NotingOperation] = []

    init(_ dice: inout Dice) {
        root = ScriptedJob("root", queue: TaskQueue(name: "tree"))
        root.onDidCancel = { [log] _ in log.record("root") }
        order.append("root")
        grow(below: root, depth: 0, &dice)
    }

    private mutating func grow(below job: ScriptedJob, depth: Int, _ dice: inout Dice) {
        var tasks: [Operation] = []
        for number in 0..<dice.number(1...3) {
            let name = "\(job.name ?? "")-\(number)"
            order.append(name)
            if depth < 3, dice.one(in: 2) {
                let nested = ScriptedJob(name, queue: TaskQueue(name: "tree"))
                nested.onDidCancel = { [log] _ in log.record(name) }
                grow(below: nested, depth: depth + 1, &dice)
                tasks.append(nested)
            } else {
                let leaf = NotingOperation(name, log)
                leaves.append(leaf)
                tasks.append(leaf)
            }
        }
        job.script = { [tasks] job in for task in tasks { job.trackAndQueue(task) } }
    }
}
