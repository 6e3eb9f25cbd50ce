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
            state.machine.entry(id).flatMap { entry in state.file.map { (entry.slot, $0) } }
        }
    }

    /// Reads an entry's record.
    func entry(_ slot: OutboxStateMachine.Slot, _ file: OpenFile) throws -> OutboxEntryPayload {
        try file.record(at: slot.location, with: fileKey, url) {
            OutboxEntryPayload($0, withItem: true)
        }
    }

    private func lastError(_ slot: OutboxStateMachine.Slot, _ file: OpenFile?) -> String? {
        guard let file, let location = slot.errorLocation else { return nil }
        return try? file.record(at: location, with: fileKey, url) { OutboxEntryPayload($0)?.error }
    }

    func item(_ id: UInt64) throws -> Data? {
        try slot(id).map { slot, file in Data(try entry(slot, file).item) }
    }

    func entries(key: String?, limit: Int) -> [OutboxEntry] {
        let (entries, file) = read { state in
            let machine = state.machine
            let numbers =
                key.map { machine.numbers(ofKey: $0) } ?? machine.slots.entries(limit: limit)
            return (numbers.prefix(max(limit, 0)).map { machine.entry(at: $0) }, state.file)
        }
        return self.entries(entries, in: file)
    }

    /// `file` is nil after the outbox was closed.
    func entries(_ entries: [OutboxStateMachine.Entry], in file: OpenFile?) -> [OutboxEntry] {
        entries.map { slot, key in
            let id = file.flatMap { try? entry(slot, $0).deduplicationID }
            return OutboxEntry(slot, key, deduplicationID: id, lastError: lastError(slot, file))
        }
    }

    // MARK: Explanation

    func explain(limit: Int) -> String {
        let now = time()
        let (entries, count, head, file) = read { state in
            let machine = state.machine
            let numbers = machine.slots.entries(limit: min(max(limit, 0), 1 << 20) * 64)
            let entries = numbers.map { number in
                let (slot, key) = machine.entry(at: number)
                return (slot, key, machine.waitReason(of: number, now))
            }
            return (entries, machine.slots.count, self.head(state), state.file)
        }
        var lines: [(first: String, last: String, count: Int, reason: String)] = []
        var shown = 0
        for (slot, key, waitReason) in entries {
            let reason = waitReason + failures(of: slot, file)
            let label = "entry \(slot.id)" + (key.map { " of \"\($0)\"" } ?? "")
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

    /// Describes the entry's interruptions, failures and latest error in one line.
    private func failures(of slot: OutboxStateMachine.Slot, _ file: OpenFile?) -> String {
        var text = ""
        for (verb, count) in [
            ("interrupted", slot.progress.interruptions), ("failed", slot.progress.failures),
            ("read without success", slot.progress.failedReads),
        ] where count > 0 {
            text += ", \(verb) \(count == 1 ? "once" : "\(count) times")"
        }
        if let error = lastError(slot, file) { text += ": \(error)" }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension OutboxStateMachine {
    /// Returns the reason why an entry waits, in the words of `explainStall()`.
    func waitReason(of number: Number, _ now: Time) -> String {
        let slot = slots[number]
        let first = keys[slot.key].line.first
        if slot.phase == .performing { return "executing" }
        if slot.progress.isParked {
            return slot.progress.isAside ? "parked aside" : "parked, holds back its key"
        }
        if let dueAt = slot.dueAt { return "delayed for \(Self.text(seconds: dueAt - now.clock))" }
        if slot.key != OutboxKeys.none, first != number {
            return "waits for entry \(slots[first].id) of its key"
        }
        if !reasons.isEmpty { return "suspended" }
        guard slot.progress.isAlone else { return "full" }
        return "waits until nothing else executes, because it was interrupted"
    }

    private static func text(seconds: Double) -> String {
        switch max(seconds, 0).rounded(.up) {
        case let seconds where seconds < 120: "\(Int(seconds)) s"
        case let seconds where seconds < 7_200: "\(Int(seconds / 60)) min"
        case let seconds: "\(Int(min(seconds / 3_600, 1e9))) h"
        }
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
