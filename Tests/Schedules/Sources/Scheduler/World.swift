import Foundation

/// The threads and expectations of a program.
///
/// `@unchecked Sendable` because only the thread that holds the baton uses the state, or a lock
/// guards it if there is no schedule.
package final class World: @unchecked Sendable {
    /// Nil if the program runs on the system's threads.
    private let schedule: Schedule?
    private let lock = NSRecursiveLock()
    /// The log, the sections, and whatever the code around an expectation uses.
    private let shared = SharedObject()
    private let joins = SharedObject()
    private var running = 0
    private var inside: [String: Int] = [:]
    private var log: [String] = []
    private var failure: String?
    private var freed: [(name: String, object: Weak)] = []

    private struct Weak { weak var object: AnyObject? }

    /// How long a condition may take without a schedule, in seconds.
    private static let longestWait = 2.0

    init(_ schedule: Schedule?) { self.schedule = schedule }

    /// Accesses the state of the program.
    private func state<Result>(_ body: () -> Result) -> Result {
        if let schedule {
            schedule.access(shared)
            return body()
        }
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    // MARK: Threads

    /// Runs code on another thread.
    package func spawn(_ name: String, _ body: @escaping () -> Void) {
        state { running += 1 }
        let whole = { [self] in
            // Its code may cancel a Swift task.
            if let schedule { schedule.access(schedule.runtime, isWrite: false) }
            body()
            threadEnds()
        }
        if let schedule {
            schedule.makeThread(name, whole)
        } else {
            nonisolated(unsafe) let whole = whole
            Foundation.Thread.detachNewThread { whole() }
        }
    }

    /// Runs code on a Swift task.
    package func spawnTask(_ name: String, _ body: @escaping @Sendable () async -> Void) {
        state { running += 1 }
        Task {
            await body()
            threadEnds()
        }
    }

    private func threadEnds() {
        if let schedule {
            schedule.access(joins, isWrite: false)
            running -= 1
        } else {
            state { running -= 1 }
        }
    }

    /// Waits for the threads that were spawned.
    package func join(file: StaticString = #fileID, line: UInt = #line) {
        let isOver = { [self] in
            schedule?.access(joins)
            return running == 0
        }
        wait(isOver, file: file, line: line)
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
        guard let schedule, let me = Control.thread else { return poll(condition, file, line) }
        let known = { [shared] in
            schedule.access(shared)
            return condition()
        }
        while !schedule.holds(known, for: me) {
            me.site = Site(file, line)
            schedule.block(me, on: nil, until: known)
        }
    }

    /// Waits until a condition holds, which is read whenever no other thread can run.
    package func settle(
        _ condition: () -> Bool,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard let schedule, let me = Control.thread else { return poll(condition, file, line) }
        while !condition() {
            me.site = Site(file, line)
            schedule.waitUntilOthersWait(me)
        }
    }

    /// Waits without a schedule.
    private func poll(_ condition: () -> Bool, _ file: StaticString, _ line: UInt) {
        let end = Date().addingTimeInterval(Self.longestWait)
        while !state(condition) {
            guard Date() < end, failure == nil else {
                return expect(false, "It waits.", file: file, line: line)
            }
            usleep(10)
        }
    }

    /// A place at which another thread may continue.
    package func point(file: StaticString = #fileID, line: UInt = #line) {
        Control.point(file, line)
        schedule?.access(shared)
    }

    /// Lets time pass.
    package func sleep(seconds: Double, file: StaticString = #fileID, line: UInt = #line) {
        guard let schedule else {
            usleep(UInt32(seconds * 1_000_000))
            return
        }
        let flag = Flag()
        schedule.addTimer(after: UInt64(seconds * 1_000_000_000)) { flag.isSet = true }
        wait({ flag.isSet }, file: file, line: line)
    }

    // MARK: Expectations

    /// Records a failure unless the condition is true.
    package func expect(
        _ condition: Bool,
        _ text: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        state {
            guard !condition, failure == nil else { return }
            failure = "\(text()) (\(file):\(line))"
            schedule?.fail(failure ?? "")
        }
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
        let count = state {
            inside[name, default: 0] += 1
            return inside[name, default: 0]
        }
        expect(count <= limit, "\(count) at once in \(name)")
    }

    package func leave(_ name: String) { state { inside[name, default: 0] -= 1 } }

    /// Appends to the log of the program.
    package func record(_ event: String) { state { log.append(event) } }

    package var events: [String] { state { log } }

    package func count(_ event: String) -> Int { state { log.count { $0 == event } } }

    /// Expects that an object is freed when the program has ended.
    package func mustBeFreed(_ object: AnyObject, _ name: String) {
        state { freed.append((name, Weak(object: object))) }
    }

    /// Forgets everything, and returns the failure of the program.
    func end() -> String? {
        (log, inside) = ([], [:])
        for (name, object) in freed {
            let end = Date().addingTimeInterval(schedule == nil ? Self.longestWait : 0)
            while object.object != nil, Date() < end { usleep(10) }
            if object.object != nil, failure == nil { failure = "\(name) was not freed" }
        }
        freed = []
        return failure
    }

    private final class Flag { var isSet = false }
}
