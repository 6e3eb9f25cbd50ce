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

    /// Returns an entry, and the file that holds its record.
    ///
    /// Nil if the entry has left.
    func slot(_ id: UInt64) -> (OutboxStateMachine.Slot, OpenFile)? {
        guarded.withLock { state in
            state.machine.slot(id).flatMap { slot in state.file.map { (slot, $0) } }
        }
    }

    func entry(_ slot: OutboxStateMachine.Slot, _ file: OpenFile) throws -> OutboxEntryPayload {
        var pieces = FileBytes(piecesOf: file)
        let entry = try pieces.outboxEntry(at: slot.location, with: fileKey)
        let damage = Damage(offset: slot.location.offset, reason: .check)
        guard let entry else { throw JobJournal.DamagedError(damage, of: url) }
        return entry
    }

    private func lastError(_ slot: OutboxStateMachine.Slot, _ file: OpenFile?) -> String? {
        guard let file else { return nil }
        var pieces = FileBytes(piecesOf: file)
        return slot.errorLocation.flatMap { try? pieces.outboxError(at: $0, with: fileKey) }
    }

    func item(_ id: UInt64) throws -> Data? {
        guard let (slot, file) = slot(id) else { return nil }
        do { return Data(try entry(slot, file).item) } catch let error as JobJournal.DamagedError {
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

    /// `file` is nil after the outbox was closed.
    func entries(_ slots: [OutboxStateMachine.Slot], in file: OpenFile?) -> [OutboxEntry] {
        slots.map { slot in
            let payload = file.flatMap { try? entry(slot, $0) }
            return OutboxEntry(slot, payload, lastError: lastError(slot, file))
        }
    }

    // MARK: Explanation

    func explain(limit: Int) -> String {
        let now = time()
        let (slots, count, head, file) = read { state in
            let machine = state.machine
            let numbers = machine.slots.entries(limit: min(max(limit, 0), 1 << 20) * 64)
            let slots = numbers.map { (machine.slots[$0], machine.wait(of: $0)) }
            return (slots, machine.slots.count, self.head(state), state.file)
        }
        var lines: [(first: String, last: String, count: Int, reason: String)] = []
        var shown = 0
        for (slot, wait) in slots {
            let reason = reason(slot, wait, now, file)
            let label = "entry \(slot.id)" + (wait.key.map { " of \"\($0)\"" } ?? "")
            if let last = lines.last, last.reason == reason {
                lines[lines.count - 1] = (last.first, label, last.count + 1, reason)
            } else {
                guard lines.count < limit else { break }
                lines.append((label, label, 1, reason))
            }
            shown += 1
        }
        let texts = lines.map { line in
            let others = line.count == 1 ? "" : " to \(line.last) (\(line.count) entries)"
            return "  \(line.first)\(others): \(line.reason)"
        }
        let rest = shown < count ? ["  and \(count - shown) more"] : []
        return ([head] + texts + rest).joined(separator: "\n")
    }

    private func head(_ state: State) -> String {
        let (count, reasons) = (state.machine.slots.count, state.machine.reasons.sorted())
        var head = "\(name): \(count) \(count == 1 ? "entry" : "entries")"
        if !reasons.isEmpty {
            head += ", suspended for \(reasons.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
        return head + (state.disk.isFailing ? ", the disk does not take a write" : "")
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
            case .delayed(let dueAt): "delayed for \(Self.text(seconds: dueAt - now.clock))"
            case .waitsFor(let id): "waits for entry \(id) of its key"
            case .suspended: "suspended"
            case .alone: "waits until nothing else executes, because it was interrupted"
            case .full: "full"
            }
        for (verb, count) in [
            ("interrupted", slot.progress.interruptions), ("failed", slot.progress.failures),
        ] where count > 0 {
            reason += ", \(verb) \(count == 1 ? "once" : "\(count) times")"
        }
        if let error = lastError(slot, file) { reason += ": \(error)" }
        return reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

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
        guard keys[key].asideCount == 0 else {
            return slots.entries().filter { slots[$0].key == key }
        }
        return slots.members(.line, keys[key].line)
    }

    var performing: [Slot] {
        counts.performing == 0
            ? [] : slots.entries().map { slots[$0] }.filter { $0.phase == .performing }
    }
}
