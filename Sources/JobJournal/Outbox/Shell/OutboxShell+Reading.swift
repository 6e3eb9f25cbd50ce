import Foundation
import JobKit

/// Reads entries.
///
/// Items and errors are read from the file when they are needed.
extension OutboxShell {
    /// Reads the current state, in which delays that have passed are over.
    func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
        let time = time()
        return guarded.withLock { state in
            state.machine.timePassed(time)
            return body(state)
        }
    }

    func record(
        at place: RecordIndex.Place,
        in bytes: inout some ByteSource
    ) throws -> OutboxEntryRecord? {
        try bytes.record(at: place, sealedBy: seal) { kind, payload in
            kind == .entry ? OutboxEntryRecord(payload, sealedBy: seal) : nil
        }
    }

    /// Returns an entry, and the file that holds its record.
    ///
    /// Nil if the entry has left.
    func slot(_ id: UInt64) -> (value: OutboxStateMachine.Slot, file: OpenFile)? {
        guarded.withLock { state in
            state.machine.slot(id).flatMap { slot in state.file.map { (slot, $0) } }
        }
    }

    func record(_ slot: OutboxStateMachine.Slot, _ file: OpenFile) throws -> OutboxEntryRecord {
        var pieces = FilePieces(file: file)
        guard let record = try record(at: slot.place, in: &pieces) else {
            throw JobJournal.DamagedError(
                Damage(offset: slot.place.offset, reason: .check),
                of: url
            )
        }
        return record
    }

    /// Returns the error in a record.
    ///
    /// Nil if the record has none.
    func error(at offset: Int, in bytes: inout some ByteSource) throws -> String? {
        let header = try bytes.read(at: offset, count: Frame.headerSize) {
            Frame.Header($0, at: offset, sealedBy: seal)
        }
        guard let header else { return nil }
        let place = RecordIndex.Place(offset: offset, payloadCount: UInt32(header.count))
        return try bytes.record(at: place, sealedBy: seal) { kind, payload in
            switch kind {
            case .change: OutboxChangeRecord(payload)?.error
            case .entry: OutboxEntryRecord(payload, sealedBy: seal, withItem: false)?.error
            default: nil
            }
        }
    }

    func item(_ id: UInt64) throws -> Data? {
        guard let (slot, file) = slot(id) else { return nil }
        do { return Data(try record(slot, file).item) } catch let error as JobJournal.DamagedError {
            throw error
        } catch {
            throw writeError(error)
        }
    }

    func entries(key: String?, limit: Int) -> [OutboxEntry] {
        let (slots, file) = read { state in
            let machine = state.machine
            let numbers =
                key.map { machine.numbers(ofKey: $0) } ?? machine.slots.entries(limit: limit)
            return (numbers.prefix(max(limit, 0)).map { machine.slots[$0] }, state.file)
        }
        return entries(slots, in: file)
    }

    func entries(_ slots: [OutboxStateMachine.Slot], in file: OpenFile?) -> [OutboxEntry] {
        slots.map { slot in
            var record: OutboxEntryRecord?
            var lastError: String?
            if let file {
                record = try? self.record(slot, file)
                var pieces = FilePieces(file: file)
                if slot.errorOffset > 0 {
                    lastError = try? error(at: slot.errorOffset, in: &pieces)
                }
            }
            return OutboxEntry(slot, record, lastError: lastError, time())
        }
    }

    // MARK: Explanation

    func explain(limit: Int) -> String {
        let now = time()
        let (slots, count, reasons, isFailing, explained) = read { state in
            let machine = state.machine
            let numbers = machine.slots.entries(limit: min(max(limit, 0), 1 << 20) * 64)
            let slots = numbers.map { machine.slots[$0] }
            return (
                slots, machine.slots.count, machine.reasons.sorted(), state.disk.isFailing,
                numbers.map { machine.wait(of: $0) }
            )
        }
        let file = guarded.withLock { $0.file }
        var head = "\(name): \(count) \(count == 1 ? "entry" : "entries")"
        if !reasons.isEmpty {
            head += ", suspended for \(reasons.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
        if isFailing { head += ", the disk does not take a write" }
        var lines: [(first: String, last: String, count: Int, reason: String)] = []
        var shown = 0
        for (slot, wait) in zip(slots, explained) {
            let reason = reason(slot, wait, now, file)
            let label = "entry \(slot.id)" + (wait.key.map { " of \"\($0)\"" } ?? "")
            if let last = lines.last, last.reason == reason {
                lines[lines.count - 1].last = label
                lines[lines.count - 1].count += 1
            } else {
                guard lines.count < limit else { break }
                lines.append((label, label, 1, reason))
            }
            shown += 1
        }
        var text = [head]
        for line in lines {
            let label =
                line.count == 1
                ? line.first : "\(line.first) to \(line.last) (\(line.count) entries)"
            text.append("  \(label): \(line.reason)")
        }
        if shown < count { text.append("  and \(count - shown) more") }
        return text.joined(separator: "\n")
    }

    private func reason(
        _ slot: OutboxStateMachine.Slot,
        _ wait: OutboxStateMachine.Wait,
        _ now: OutboxStateMachine.Time,
        _ file: OpenFile?
    ) -> String {
        var reason =
            switch wait.reason {
            case .executing: "executing"
            case .parked(let holdsKey): holdsKey ? "parked, holds back its key" : "parked aside"
            case .delayed(let dueAt):
                "delayed for \(Self.text(seconds: dueAt - now.clock))"
            case .waitsFor(let id): "waits for entry \(id) of its key"
            case .suspended: "suspended"
            case .alone: "waits until nothing else executes, because it was interrupted"
            case .full: "full"
            }
        if slot.progress.interruptions > 0 {
            reason += ", interrupted \(Self.text(times: Int(slot.progress.interruptions)))"
        }
        if slot.progress.failures > 0 {
            reason += ", failed \(Self.text(times: Int(slot.progress.failures)))"
        }
        if slot.errorOffset > 0, let file {
            var pieces = FilePieces(file: file)
            if let error = try? error(at: slot.errorOffset, in: &pieces) { reason += ": \(error)" }
        }
        return reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func text(times count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    private static func text(seconds: Double) -> String {
        switch max(seconds, 0).rounded(.up) {
        case let seconds where seconds < 120: "\(Int(seconds)) s"
        case let seconds where seconds < 7_200: "\(Int(seconds / 60)) min"
        case let seconds: "\(Int(min(seconds / 3_600, 1e9))) h"
        }
    }
}

extension OutboxStateMachine {
    /// The reason why an entry is not performed.
    struct Wait: Sendable {
        enum Reason: Sendable {
            case executing
            case parked(holdsKey: Bool)
            case delayed(Double)
            /// Another entry of its key comes first.
            case waitsFor(ID)
            case suspended
            case alone
            case full
        }

        let key: String?
        let reason: Reason
    }

    func wait(of number: Number) -> Wait {
        let slot = slots[number]
        return Wait(key: keyName(of: slot), reason: reason(slot, number))
    }

    private func reason(_ slot: Slot, _ number: Number) -> Wait.Reason {
        if slot.phase == .performing { return .executing }
        if slot.progress.isParked { return .parked(holdsKey: !slot.progress.isAside) }
        if let dueAt = slot.dueAt { return .delayed(dueAt) }
        if slot.key != OutboxKeys.none, keys[slot.key].line.first != number {
            return .waitsFor(slots[keys[slot.key].line.first].id)
        }
        if !reasons.isEmpty { return .suspended }
        return slot.progress.isAlone ? .alone : .full
    }

    /// Returns the entries of a key, by position.
    func numbers(ofKey name: String) -> [Number] {
        guard let key = keys.number(of: name) else { return [] }
        let numbers = slots.line(keys[key].line) + slots.line(keys[key].aside)
        return keys[key].aside.isEmpty
            ? numbers : numbers.sorted { slots[$0].position < slots[$1].position }
    }

    var performing: [Slot] {
        counts.performing == 0
            ? [] : slots.entries().map { slots[$0] }.filter { $0.phase == .performing }
    }
}
