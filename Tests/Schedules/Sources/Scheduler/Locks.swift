import Foundation
import Synchronization

/// A lock whose acquisition is a point.
///
/// `@unchecked Sendable` because only the thread that holds the baton uses the owner.
package final class LockCell: SharedObject, @unchecked Sendable {
    private var owner: (thread: VirtualThread, schedule: Int)?

    func acquire(_ me: VirtualThread, _ site: Site) {
        let schedule = me.schedule
        schedule.point(me, site)
        while let owner, owner.schedule == schedule.number {
            schedule.block(me, on: self)
        }
        owner = (me, schedule.number)
        schedule.access(self)
    }

    func release(_ me: VirtualThread) {
        owner = nil
        me.schedule.released(self, by: me)
        me.schedule.makeReady(waitingFor: self)
    }
}

/// Takes the place of JobKit's `Guarded`.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let cell = LockCell()
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(Failure) -> sending Result {
        guard let me = Control.thread else {
            Control.access(cell)
            return try mutex.withLock(body)
        }
        cell.acquire(me, Site(file, line))
        defer { cell.release(me) }
        return try mutex.withLock(body)
    }
}

/// The value of an ``Atomic``.
///
/// `@unchecked Sendable` because the value is behind a lock.
final class AtomicCell<Value>: SharedObject, @unchecked Sendable {
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    /// Changes the value unless the result is nil, and returns the old and the new one.
    func change(_ body: (Value) -> Value?) -> (oldValue: Value, newValue: Value) {
        let (old, new) = lock.withLock {
            let (old, new) = (value, body(value))
            if let new { value = new }
            return (old, new)
        }
        Control.access(self, isWrite: new != nil)
        return (old, new ?? old)
    }
}

/// Takes the place of `Synchronization.Atomic`: each access is a point.
///
/// `@unchecked Sendable` because the cell is.
package struct Atomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
    private let cell: AtomicCell<Value>

    package init(_ value: Value) { cell = AtomicCell(value) }

    package typealias Change = (oldValue: Value, newValue: Value)

    /// Changes the value unless the result is nil, and returns the old and the new one.
    @discardableResult
    fileprivate func change(
        _ file: StaticString,
        _ line: UInt,
        _ body: (Value) -> Value?
    ) -> Change {
        Control.point(file, line)
        return cell.change(body)
    }

    package func load(
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Value { change(file, line) { _ in nil }.oldValue }

    package func store(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) { change(file, line) { _ in value } }

    package func exchange(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Value { change(file, line) { _ in value }.oldValue }

    package func compareExchange(
        expected: Value,
        desired: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> (exchanged: Bool, original: Value) {
        let old = change(file, line) { Self.isSame($0, expected) ? desired : nil }.oldValue
        return (Self.isSame(old, expected), old)
    }

    package func weakCompareExchange(
        expected: Value,
        desired: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> (exchanged: Bool, original: Value) {
        compareExchange(
            expected: expected,
            desired: desired,
            ordering: ordering,
            file: file,
            line: line
        )
    }

    private static func isSame(_ left: Value, _ right: Value) -> Bool {
        withUnsafeBytes(of: Value.encodeAtomicRepresentation(left)) { left in
            withUnsafeBytes(of: Value.encodeAtomicRepresentation(right)) { left.elementsEqual($0) }
        }
    }
}

/// The memory orders, which make no difference here: all accesses are sequentially consistent.
package enum Ordering: Sendable {
    case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent
}

// The operations that the libraries use.
extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    package func add(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { $0 + value } }

    @discardableResult
    package func wrappingAdd(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { $0 &+ value } }

    @discardableResult
    package func subtract(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { $0 - value } }

    @discardableResult
    package func bitwiseOr(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { $0 | value } }

    @discardableResult
    package func bitwiseAnd(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { $0 & value } }

    @discardableResult
    package func max(
        _ value: Value,
        ordering: Ordering,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Change { change(file, line) { Swift.max($0, value) } }
}
