import Foundation
import JobJournal
import JobKit
import Synchronization

/// Measures the costs of an outbox.
struct OutboxCosts {
    private struct Upload: Codable, Sendable {
        let id: Int
        let name: String
    }

    let folder: URL
    let count: Int

    /// Returns one figure for each of ``JournalBound/outbox``.
    func measure() throws -> [Double] {
        let adds = try adds()
        let batch = try batch()
        let flow = try flow()
        let opening = ChildProcess.outbox(of: count, in: folder)
        let turns = try turns(large: 10_000) / turns(large: 1)
        try OutboxFile.delete(at: folder, name: "adds")
        return [
            adds, batch.total, batch.encoder, flow, opening.seconds, opening.bytes, turns,
        ]
    }

    /// Measures the time and the processor time of each entry in a part.
    func cost(ofEach count: Int, _ part: () throws -> Void) rethrows -> JournalFigures {
        let processor = ProcessorTime.ofProcess
        let wall = try ContinuousClock().measure { try part() }
        return JournalFigures(
            processor: Double(ProcessorTime.ofProcess - processor) / Double(count),
            wall: wall.nanoseconds / Double(count)
        )
    }

    /// Opens the outbox of ``adds()``, and waits until its first entry begins.
    func opening() throws -> JournalFigures {
        let before = ResidentMemory.bytes
        let began = DispatchSemaphore(value: 0)
        var outbox: JobOutbox<Upload>?
        let time = try ContinuousClock()
            .measure {
                outbox = try open("adds", isSuspended: false) { _, _ in
                    began.signal()
                    try await Task.sleep(for: .seconds(1_000))
                }
                began.wait()
            }
        let memory = Double(ResidentMemory.bytes - before) / Double(count)
        if let outbox { close(outbox) }
        return JournalFigures(seconds: time.nanoseconds / 1e9, memory: memory)
    }

    /// Measures how many entries a second can be added one after another, to 100 keys.
    func adds() throws -> Double {
        let outbox = try open("adds", isSuspended: true)
        let keys = (0..<100).map { "album \($0)" }
        let time = try ContinuousClock()
            .measure {
                for number in 0..<count {
                    try outbox.add(Upload(id: number, name: "photo"), key: keys[number % 100])
                }
            }
        close(outbox)
        return Double(count) / (time.nanoseconds / 1e9)
    }

    /// Compares a synced write of 1,000 items, and their encoding alone, with a sync of as many
    /// bytes.
    func batch() throws -> (total: Double, encoder: Double) {
        let items = (0..<1_000).map { Upload(id: $0, name: "photo") }
        let outbox = try open("batch", isSuspended: true, .powerLoss)
        let path = folder.appending(path: "disk").path
        let file = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { Foundation.close(file) }
        let sizeBefore = try fileSize("batch")
        try outbox.add(contentsOf: items)
        wait { try? await outbox.flush() }
        let bytes = [UInt8](repeating: 7, count: try fileSize("batch") - sizeBefore)
        var (ratios, floors): ([Double], [Double]) = ([], [])
        let encoder = JSONEncoder()
        for _ in 0..<20 {
            let encoding = try ContinuousClock()
                .measure {
                    for item in items { _ = try encoder.encode(item) }
                }
            let time = try ContinuousClock()
                .measure {
                    try outbox.add(contentsOf: items)
                    wait { try? await outbox.flush() }
                }
            let disk = ContinuousClock()
                .measure {
                    _ = write(file, bytes, bytes.count)
                    #if os(Linux)
                    fdatasync(file)
                    #else
                    _ = fcntl(file, F_FULLFSYNC)
                    #endif
                }
            ratios.append(time.nanoseconds / disk.nanoseconds)
            floors.append(encoding.nanoseconds / disk.nanoseconds)
        }
        close(outbox)
        try OutboxFile.delete(at: folder, name: "batch")
        return (ratios.sorted()[ratios.count / 2], floors.sorted()[floors.count / 2])
    }

    /// Measures how many entries a second are added, performed and removed.
    func flow() throws -> Double {
        let outbox = try open("flow", isSuspended: false)
        let time = try ContinuousClock()
            .measure {
                for number in 0..<count / 2 { try outbox.add(Upload(id: number, name: "photo")) }
                wait { await outbox.waitUntilIdle() }
            }
        close(outbox)
        try OutboxFile.delete(at: folder, name: "flow")
        return Double(count / 2) / (time.nanoseconds / 1e9)
    }

    /// Measures the time until each of 1,000 keys has had a turn, beside a key with many entries.
    func turns(large: Int) throws -> Double {
        let turns = Mutex(0)
        let done = DispatchSemaphore(value: 0)
        let outbox = try open("turns", isSuspended: true) { _, attempt in
            guard attempt.key != "large" else { return }
            let isLast = turns.withLock { count in
                count += 1
                return count == 1_000
            }
            if isLast { done.signal() }
        }
        try outbox.add(
            contentsOf: (0..<large).map { Upload(id: $0, name: "") },
            key: { _ in "large" }
        )
        try outbox.add(
            contentsOf: (0..<1_000).map { Upload(id: $0, name: "") },
            key: { "\($0.id)" }
        )
        let time = ContinuousClock()
            .measure {
                outbox.resume(for: "benchmark")
                done.wait()
            }
        close(outbox)
        try OutboxFile.delete(at: folder, name: "turns")
        return time.nanoseconds
    }

    private func fileSize(_ name: String) throws -> Int {
        let path = folder.appending(path: name + ".outbox").path
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    private func open(
        _ name: String,
        isSuspended: Bool,
        _ safety: JobJournal.Safety = .processCrash,
        _ perform: @escaping @Sendable (Upload, OutboxAttempt) async throws -> Void = { _, _ in }
    ) throws -> JobOutbox<Upload> {
        var configuration = OutboxConfiguration<Upload>()
        configuration.safety = safety
        configuration.suspendedFor = isSuspended ? ["benchmark"] : []
        return try JobOutbox(at: folder, name: name, configuration: configuration, perform: perform)
    }

    private func close(_ outbox: JobOutbox<Upload>) { wait { await outbox.close() } }

    private func wait(_ body: @escaping @Sendable () async -> Void) {
        let operation = AsyncOperation { await body() }
        operation.start()
        operation.waitUntilFinished()
    }
}
