import Foundation
import JobJournal
import JobKit

/// Measures durable steps and the disk to which they are written.
struct JournalCosts {
    private struct Receipt: Codable, Sendable {
        let id: Int
        let name: String
    }

    let folder: URL
    let steps: Int

    /// Returns one figure for each of ``JournalBound/all``.
    func measure() throws -> [Double] {
        let disk = disk()
        let plain = try measure(.plain)
        let durable = try measure(.durable)
        // A separate process has an empty heap.
        let opening = ChildProcess.opening(of: steps, in: folder)
        let synced = try JobJournal(at: folder, job: "synced", safety: .powerLoss)
        let loss = cost(steps / 2, width: 512) { number in
            synced.step("step \(number)") { _ in Receipt(id: number, name: "customer") }
        }
        let alone = median(300) { number in
            let step = synced.step("alone \(number)") { _ in number }
            step.start()
            step.waitUntilFinished()
        }
        end(synced) { try? await $0.remove() }
        return [
            disk.append, disk.sync, (durable.processor - plain.processor) / 1000,
            1e9 / durable.wall, 1e9 / loss.wall, alone / 1000 / disk.syncOfStep, opening.seconds,
            opening.bytes, durable.fileSize,
        ] + (try outbox.measure())
    }

    /// Measures one part alone.
    func measure(_ part: JournalPart) throws -> JournalFigures {
        switch part {
        case .plain:
            return cost { number in AsyncOperation { Receipt(id: number, name: "customer") } }
        case .durable:
            let journal = try JobJournal(at: folder, job: "steps")
            var figures = cost { number in
                journal.step("step \(number)") { _ in Receipt(id: number, name: "customer") }
            }
            end(journal) { await $0.close() }
            figures.fileSize = Double(try fileSize()) / Double(steps)
            return figures
        case .opening: return try opening()
        case .outbox: return try outbox.opening()
        case .outboxAdds: return try outbox.cost(ofEach: steps) { _ = try outbox.adds() }
        case .outboxBatch: return try outbox.cost(ofEach: 20_000) { _ = try outbox.batch() }
        case .outboxFlow: return try outbox.cost(ofEach: steps / 2) { _ = try outbox.flow() }
        case .outboxTurns:
            return try outbox.cost(ofEach: 11_000) { _ = try outbox.turns(large: 10_000) }
        }
    }

    private var outbox: OutboxCosts { OutboxCosts(folder: folder, count: steps) }

    private func cost(
        _ count: Int? = nil,
        width: Int = 64,
        _ make: (Int) -> Operation
    ) -> JournalFigures {
        let count = count ?? steps
        let queue = TaskQueue(maxConcurrentOperationCount: width)
        let (processor, memory) = (ProcessorTime.ofProcess, ResidentMemory.bytes)
        let wall = ContinuousClock()
            .measure {
                // Limits the number of waiting steps, because they would take memory.
                for first in stride(from: 0, to: count, by: 10_000) {
                    for number in first..<min(first + 10_000, count) {
                        queue.addOperation(make(number))
                    }
                    queue.waitUntilAllOperationsAreFinished()
                }
            }
        return JournalFigures(
            processor: Double(ProcessorTime.ofProcess - processor) / Double(count),
            wall: wall.nanoseconds / Double(count),
            memory: Double(ResidentMemory.bytes - memory) / Double(count)
        )
    }

    /// Opens the journal of earlier durable steps, and removes it.
    ///
    /// The result is in seconds, not per step.
    private func opening() throws -> JournalFigures {
        let before = ResidentMemory.bytes
        var journal: JobJournal?
        let time = try ContinuousClock()
            .measure {
                journal = try JobJournal(at: folder, job: "steps")
                let step = journal?.step("one more") { _ in 1 }
                step?.start()
                step?.waitUntilFinished()
            }
        let after = ResidentMemory.bytes
        guard let journal, journal.recordedCount == steps + 1 else {
            fatalError("a journal of \(steps) steps knows other ones")
        }
        end(journal) { try? await $0.remove() }
        return JournalFigures(
            seconds: time.nanoseconds / 1e9,
            memory: Double(after - before) / Double(steps)
        )
    }

    private func fileSize() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".journal") }
            .reduce(0) { sum, name in
                let path = folder.appending(path: name).path
                let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
                return sum + (size as? Int ?? 0)
            }
    }

    private func disk() -> (append: Double, sync: Double, syncOfStep: Double) {
        let path = folder.appending(path: "disk").path
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        let bytes = [UInt8](repeating: 7, count: 1_024)
        let appends = ContinuousClock()
            .measure {
                for _ in 0..<10_000 { _ = write(file, bytes, 200) }
            }
        // A synced step writes two sectors: its beginning and its outcome.
        let syncs = [512, 1_024]
            .map { size in
                median(300) { _ in
                    _ = write(file, bytes, size)
                    #if os(Linux)
                    fdatasync(file)
                    #else
                    _ = fcntl(file, F_FULLFSYNC)
                    #endif
                }
            }
        return (appends.nanoseconds / 10_000 / 1000, syncs[0] / 1000, syncs[1] / 1000)
    }

    private func median(_ count: Int, _ work: (Int) -> Void) -> Double {
        let times = (0..<count)
            .map { number in
                ContinuousClock().measure { work(number) }.nanoseconds
            }
        return times.sorted()[count / 2]
    }

    private func end(
        _ journal: JobJournal,
        _ body: @escaping @Sendable (JobJournal) async -> Void
    ) {
        let operation = AsyncOperation { await body(journal) }
        operation.start()
        operation.waitUntilFinished()
    }
}

/// A part of ``JournalCosts`` that a process measures alone.
enum JournalPart: String, CaseIterable, Sendable {
    /// `AsyncOperation`s that record nothing.
    case plain
    /// Steps with outcomes that are written to the system but not synced.
    case durable
    /// Opening a journal of durable steps.
    case opening
    /// Opening the outbox of ``outboxAdds``.
    case outbox
    /// Adding entries one after another, which stay in the folder.
    case outboxAdds = "outbox-adds"
    /// Adding 1,000 entries in one synced write, twenty times.
    case outboxBatch = "outbox-batch"
    /// Adding, performing and removing entries.
    case outboxFlow = "outbox-flow"
    /// The turns of 1,000 keys beside a key with 10,000 entries.
    case outboxTurns = "outbox-turns"
}

/// Measured nanoseconds and bytes per step.
struct JournalFigures {
    var processor = 0.0
    var wall = 0.0
    /// The seconds of an opening as a whole.
    var seconds: Double?
    var memory = 0.0
    var fileSize = 0.0

    var text: String {
        if let seconds {
            return "\(NumberText.fixed(seconds, places: 4)) s, "
                + "\(NumberText.fixed(memory, places: 1)) B of memory for each step"
        }
        return "\(NumberText.fixed(wall / 1000, places: 2)) µs, "
            + "\(NumberText.fixed(processor / 1000, places: 2)) µs of processor time, "
            + "\(NumberText.fixed(memory, places: 1)) B of memory and "
            + "\(NumberText.fixed(fileSize, places: 1)) B of the file for each step"
    }
}
