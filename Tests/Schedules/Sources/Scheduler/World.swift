import Foundation

/// The threads and expectations of a program.
///
/// `@unchecked Sendable` because only the thread that holds the baton uses the state.
package final class World: @unchecked Sendable {
    private let schedule: Schedule
    private var running = 0
    private var inside: [String: Int] = [:]
    private var log: [String] = []

    init(_ schedule: Schedule) { self.schedule = schedule }

    /// Runs code on another thread.
    package func spawn(_ name: String, _ body: @escaping () -> Void) {
        running += 1
        schedule.makeThread(name) { [self] in
            body()
            running -= 1
        }
    }

    /// Runs code on a Swift task.
    package func spawnTask(_ name: String, _ body: @escaping @Sendable () async -> Void) {
        running += 1
        Task {
            await body()
            running -= 1
        }
    }

    /// Waits for the threads that were spawned.
    package func join(file: StaticString = #fileID, line: UInt = #line) {
        wait({ [self] in running == 0 }, file: file, line: line)
    }

    /// Runs code on one thread each, and waits for all of them.
    package func together(
        _ bodies: (() -> Void)...,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        for (index, body) in bodies.enumerated() { spawn("thread \(index + 1)", body) }
        join(file: file, line: line)
    }

    /// Waits until a condition holds, which must read nothing that needs a lock.
    package func wait(
        _ condition: @escaping () -> Bool,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard let me = Control.thread, !condition() else { return }
        me.site = Site(file, line)
        while !condition() { schedule.block(me, on: nil, until: condition) }
    }

    /// Waits until a condition holds, which is read whenever no other thread can run.
    package func settle(
        _ condition: () -> Bool,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard let me = Control.thread else { return }
        while !condition() {
            me.site = Site(file, line)
            schedule.waitUntilOthersWait(me)
        }
    }

    /// A place at which another thread may continue.
    package func point(file: StaticString = #fileID, line: UInt = #line) {
        Control.point(file, line)
    }

    /// Lets time pass.
    package func sleep(seconds: Double, file: StaticString = #fileID, line: UInt = #line) {
        let flag = Flag()
        schedule.addTimer(after: UInt64(seconds * 1_000_000_000)) { flag.isSet = true }
        wait({ flag.isSet }, file: file, line: line)
    }

    /// Records a failure unless the condition is true.
    package func expect(
        _ condition: Bool,
        _ text: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        if !condition { schedule.fail("\(text()) (\(file):\(line))") }
    }

    package func expectEqual<Value: Equatable>(
        _ left: Value,
        _ right: Value,
        _ text: String = "",
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        expect(left == right, "\(text) \(left) is not \(right)", file: file, line: line)
    }

    /// Counts threads in a section, of which at most `limit` may be inside at once.
    package func section(_ name: String, limit: Int = 1, _ body: () -> Void = {}) {
        enter(name, limit: limit)
        point()
        body()
        leave(name)
    }

    package func enter(_ name: String, limit: Int = 1) {
        inside[name, default: 0] += 1
        expect(inside[name, default: 0] <= limit, "\(inside[name, default: 0]) at once in \(name)")
    }

    package func leave(_ name: String) { inside[name, default: 0] -= 1 }

    /// Appends to the log of the program.
    package func record(_ event: String) { log.append(event) }

    package var events: [String] { log }

    package func count(_ event: String) -> Int { log.count { $0 == event } }

    /// Expects that an object is freed when the program has ended.
    package func mustBeFreed(_ object: AnyObject, _ name: String) {
        schedule.mustBeFreed(object, name)
    }

    func release() { (log, inside) = ([], [:]) }

    private final class Flag { var isSet = false }
}
