import Foundation
import JobJournal
import JobKit
import JobKitTesting

/// A random program on an outbox and on an oracle, with sessions that end in every way.
///
/// The seed determines every decision of the program.
struct OutboxProgram {
    struct Failed: Error { let outcome: OutboxOracle.Outcome }

    /// A difference between the outbox and the oracle.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// Random numbers from a seed.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    /// The state that the attempts of a session share with the program.
    private final class Session: Sendable {
        let clock = ManualClock()
        let log = Locked<[String?: [String]]>([:])
        let began = Gate()
        let release = Gate()
    }

    private let folder: URL
    private let dates = Dates()
    private var dice: Dice
    private var oracle = OutboxOracle()

    private init(_ seed: UInt64, in folder: URL) {
        self.folder = folder
        dice = Dice(state: seed)
        oracle.now = dates.now.timeIntervalSinceReferenceDate
    }

    /// Runs the programs of several seeds, a few at a time.
    ///
    /// - Returns: One line for each program that differs from the oracle.
    static func failures(ofSeeds seeds: Range<UInt64>) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            var failures: [String] = []
            for (number, seed) in seeds.enumerated() {
                if number >= 4, let failure = await group.next() ?? nil { failures.append(failure) }
                guard failures.isEmpty else { break }
                group.addTask { await failure(of: seed) }
            }
            for await case let failure? in group { failures.append(failure) }
            return failures
        }
    }

    private static func failure(of seed: UInt64) async -> String? {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("OutboxProgram-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var program = OutboxProgram(seed, in: folder)
        do {
            try await program.run()
            return nil
        } catch {
            return "seed \(seed): \(error)"
        }
    }

    private mutating func run() async throws {
        let safety: JobJournal.Safety =
            Int.random(in: 0..<4, using: &dice) == 0 ? .powerLoss : .processCrash
        let limit = Int.random(in: 1...3, using: &dice)
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let session = Session()
            let outbox = try open(session, safety, limit)
            try check(outbox, "after the opening")
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                for _ in 0..<Int.random(in: 1...6, using: &dice) { try change(outbox, session) }
                try check(outbox, "after changes")
                outbox.resume(for: "program")
                await outbox.waitUntilIdle()
                outbox.suspend(for: "program")
                let expected = oracle.run()
                let found = session.log.withLock { log in exchange(&log, with: [:]) }
                for key in Set(expected.keys).union(found.keys) {
                    let (expected, found) = (expected[key] ?? [], found[key] ?? [])
                    let hasOrder = key != nil
                    try require(
                        hasOrder ? found == expected : found.sorted() == expected.sorted(),
                        "performed \(found) of \(key ?? "no key") instead of \(expected)"
                    )
                }
                try check(outbox, "after a run")
            }
            try await end(outbox, session)
            oracle.sessionEnded()
        }
    }

    private func require(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw Difference(description: description()) }
    }

    private func open(
        _ session: Session,
        _ safety: JobJournal.Safety,
        _ limit: Int
    ) throws -> JobOutbox<String> {
        let dates = dates
        var configuration = OutboxConfiguration<String>()
        configuration.suspendedFor = ["program"]
        configuration.concurrencyLimit = limit
        configuration.safety = safety
        configuration.clock = session.clock
        configuration.now = { dates.now }
        configuration.retryPolicy = RetryPolicy { count, _ in
            OutboxOracle.delay(after: count).map { .seconds($0) }
        }
        configuration.onFailure = { error, _, _ in
            switch (error as? Failed)?.outcome {
            case .retries(let after): .retry(after: after.map { .seconds($0) })
            case .retriesUncharged(let after): .retryUncharged(after: after.map { .seconds($0) })
            case .parks: .park
            case .parksAside: .parkAside
            case .drops, .succeeds, nil: .drop
            }
        }
        return try JobOutbox(at: folder, name: "outbox", configuration: configuration) {
            item,
            attempt in
            session.log.withLock { $0[attempt.key, default: []].append(item) }
            if attempt.key == "hangs", !attempt.mayHaveBegun {
                session.began.open()
                await session.release.waitUntilOpen()
                return
            }
            let outcome = OutboxOracle.outcome(of: item, attempt.failureCount)
            if case .succeeds = outcome { return }
            throw Failed(outcome: outcome)
        }
    }

    // MARK: Changes

    private mutating func change(_ outbox: JobOutbox<String>, _ session: Session) throws {
        let number = oracle.entries.randomElement(using: &dice)?.id ?? 1_000
        guard let id = OutboxEntry.ID("\(number)") else { return }
        switch Int.random(in: 0..<25, using: &dice) {
        case 0, 1:
            let expected = oracle.remove(number)
            try require(try outbox.remove(id) == expected, "remove(\(id)) is not \(expected)")
        case 2, 3:
            try outbox.retry(id)
            oracle.retry(number)
        case 4, 5:
            let keys = Set(oracle.entries.compactMap(\.key)).sorted()
            guard let key = keys.randomElement(using: &dice) else { return }
            let expected = oracle.entries.filter { $0.key == key }.map { "\($0.id)" }
            let removed = try outbox.removeAll(key: key).map(\.id.description)
            try require(removed == expected, "removed \(removed) instead of \(expected)")
            oracle.remove(key: key)
        case 6:
            guard Int.random(in: 0..<3, using: &dice) == 0 else { return }
            try outbox.removeAll()
            oracle.removeAll()
        case 7:
            outbox.retryNow()
            oracle.retryNow()
        case 8...11:
            let seconds = Double(Int.random(in: 1...6, using: &dice))
            dates.advance(by: seconds)
            oracle.now += seconds
            session.clock.advance(by: .seconds(seconds))
        default: try add(outbox)
        }
    }

    private mutating func add(_ outbox: JobOutbox<String>) throws {
        let key = ["a", "b", nil].randomElement(using: &dice) ?? nil
        let deduplicationID = ["x", "y", nil].randomElement(using: &dice) ?? nil
        let policies: [(String, DuplicatePolicy)] = [
            ("append", .append), ("replace", .replace), ("keep", .keep), ("join", .join),
        ]
        let (name, policy) = policies.randomElement(using: &dice) ?? policies[0]
        let isLater = Int.random(in: 0..<6, using: &dice) == 0
        let notBefore = isLater ? oracle.now + Double(Int.random(in: 1...5, using: &dice)) : nil
        let count = notBefore == nil && Bool.random(using: &dice) ? 3 : 1
        let items = (0..<count).map { _ in "item \(Int.random(in: 0..<1_000, using: &dice))" }
        let ids =
            if count > 1 {
                try outbox.add(
                    contentsOf: items,
                    key: { _ in key },
                    deduplicationID: { _ in deduplicationID },
                    duplicates: policy
                )
            } else {
                [
                    try outbox.add(
                        items[0],
                        key: key,
                        deduplicationID: deduplicationID,
                        duplicates: policy,
                        notBefore: notBefore.map { Date(timeIntervalSinceReferenceDate: $0) }
                    )
                ]
            }
        for (item, id) in zip(items, ids) {
            let expected = oracle.add(item, key, deduplicationID, policy: name, notBefore)
            try require(id.description == "\(expected)", "\(name) gave \(id), not \(expected)")
        }
    }

    // MARK: The end of a session

    /// Ends the session by `close()` or like a crash, sometimes during an attempt.
    private mutating func end(_ outbox: JobOutbox<String>, _ session: Session) async throws {
        defer { session.release.open() }
        guard Bool.random(using: &dice) else { return await outbox.close() }
        let hangs = Bool.random(using: &dice) && oracle.entries.allSatisfy { $0.key != "hangs" }
        if hangs {
            let id = try outbox.add("hangs", key: "hangs")
            // No other entry may begin, because the oracle could not follow.
            let isAlone = oracle.entries.allSatisfy { !$0.mayBeginAlone(at: oracle.now) }
            let expected = oracle.add("hangs", "hangs", nil, policy: "append", nil)
            try require(id.description == "\(expected)", "the hanging entry is \(id)")
            if isAlone {
                outbox.resume(for: "program")
                await session.began.waitUntilOpen()
                let bytes = try Data(contentsOf: file)
                session.release.open()
                await outbox.close()
                try bytes.write(to: file)
                return oracle.interrupted(expected)
            }
            _ = oracle.remove(expected)
            try require(try outbox.remove(id), "the hanging entry has left")
        }
        var bytes = try Data(contentsOf: file)
        await outbox.close()
        // The beginning of a record, or zeros, from an incomplete write.
        if Bool.random(using: &dice) {
            bytes += Data(count: Int.random(in: 1...600, using: &dice))
        }
        try bytes.write(to: file)
    }

    private var file: URL { folder.appendingPathComponent("outbox.outbox") }

    // MARK: Comparison

    private func check(_ outbox: JobOutbox<String>, _ moment: String) throws {
        let expected = oracle.entries.map { entry -> String in
            var state = OutboxEntry.State.waiting
            if let holdsKey = entry.parked {
                state = .parked(holdsKey: holdsKey)
            } else if entry.isDelayed(at: oracle.now) {
                let until = max(entry.delayEnd ?? -.infinity, entry.notBefore ?? -.infinity)
                state = .delayed(until: Date(timeIntervalSinceReferenceDate: until))
            }
            return "\(entry.id) \(entry.key ?? "-") \(entry.deduplicationID ?? "-") \(state) "
                + "\(entry.failures) \(entry.mayHaveBegun) \(entry.item)"
        }
        let found = outbox.entries(limit: .max)
            .map { entry in
                let item = (try? outbox.item(entry.id)).flatMap { $0 } ?? "no item"
                return "\(entry.id) \(entry.key ?? "-") \(entry.deduplicationID ?? "-") "
                    + "\(entry.state) \(entry.failureCount) \(entry.mayHaveBegun) \(item)"
            }
        try require(found == expected, "\(moment): \(found) instead of \(expected)")
        let counts = outbox.counts
        let sum = counts.waiting + counts.delayed + counts.parked + counts.performing
        try require(sum == expected.count, "\(moment): \(counts) for \(expected.count) entries")
    }
}
