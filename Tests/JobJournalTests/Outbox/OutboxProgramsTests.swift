import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// Random programs on outboxes against an oracle, with sessions that end in every way.
///
/// `OUTBOX_PROGRAMS` is the number of programs, by default none. `OUTBOX_SEED` is the first seed.
final class OutboxProgramsTests: XCTestCase {
    private struct Failed: Error { let outcome: OutboxOracle.Outcome }

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

    /// The state that the attempts share with the test.
    private final class Session: Sendable {
        let clock = ManualClock()
        let dates: Dates
        let log = Guarded<[String?: [String]]>([:])
        let began = Gate()
        let release = Gate()

        init(_ dates: Dates) { self.dates = dates }
    }

    private let start = 800_000_000.0

    func testRandomProgramsAgreeWithTheOracle() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first =
            environment["OUTBOX_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...1 << 40)
        let count = environment["OUTBOX_PROGRAMS"].flatMap(UInt64.init) ?? 0
        try XCTSkipIf(count == 0, "OUTBOX_PROGRAMS is the number of programs")
        var programs: UInt64 = 0
        while programs < count {
            let failures = testRun?.totalFailureCount ?? 0
            try await run(Dice(state: first &+ programs))
            guard testRun?.totalFailureCount == failures else {
                return XCTFail("the seed is \(first &+ programs)")
            }
            programs += 1
        }
        print("\(name): \(programs) programs from the seed \(first)")
    }

    private func run(_ seeded: Dice) async throws {
        var dice = seeded
        let folder = TemporaryFolder(self)
        defer { try? FileManager.default.removeItem(at: folder.url) }
        var oracle = OutboxOracle()
        let dates = Dates()
        oracle.now = start
        let safety: JobJournal.Safety =
            Int.random(in: 0..<4, using: &dice) == 0 ? .powerLoss : .processCrash
        let limit = Int.random(in: 1...3, using: &dice)
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let session = Session(dates)
            let outbox = try open(folder, session, safety, limit)
            check(outbox, oracle, "opening")
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                for _ in 0..<Int.random(in: 1...6, using: &dice) {
                    try change(outbox, &oracle, session, &dice)
                }
                check(outbox, oracle, "changes")
                outbox.resume(for: "program")
                await outbox.waitUntilIdle()
                outbox.suspend(for: "program")
                let expected = oracle.run()
                let found = session.log.withLock { log in
                    defer { log = [:] }
                    return log
                }
                for key in Set(expected.keys).union(found.keys) {
                    if key == nil {
                        XCTAssertEqual(expected[key]?.sorted(), found[key]?.sorted())
                    } else {
                        XCTAssertEqual(expected[key], found[key])
                    }
                }
                check(outbox, oracle, "run")
            }
            try await end(outbox, &oracle, session, folder, &dice)
        }
    }

    private func open(
        _ folder: TemporaryFolder,
        _ session: Session,
        _ safety: JobJournal.Safety,
        _ limit: Int
    ) throws -> JobOutbox<String> {
        var configuration = OutboxConfiguration<String>()
        configuration.suspendedFor = ["program"]
        configuration.concurrencyLimit = limit
        configuration.safety = safety
        configuration.clock = session.clock
        configuration.now = { session.dates.now }
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
        return try JobOutbox(at: folder.url, name: "outbox", configuration: configuration) {
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

    private func change(
        _ outbox: JobOutbox<String>,
        _ oracle: inout OutboxOracle,
        _ session: Session,
        _ dice: inout Dice
    ) throws {
        let id = oracle.entries.randomElement(using: &dice)?.id ?? 1_000
        switch Int.random(in: 0..<12, using: &dice) {
        case 0:
            let removed = try outbox.remove(XCTUnwrap(OutboxEntry.ID("\(id)")))
            XCTAssertEqual(removed, oracle.remove(id))
        case 1:
            try outbox.retry(XCTUnwrap(OutboxEntry.ID("\(id)")))
            oracle.retry(id)
        case 2:
            let keys = Set(oracle.entries.compactMap(\.key)).sorted()
            guard let key = keys.randomElement(using: &dice) else { return }
            let expected = oracle.entries.filter { $0.key == key }.map { "\($0.id)" }
            XCTAssertEqual(try outbox.removeAll(key: key).map(\.id.description), expected)
            oracle.remove(key: key)
        case 3, 4:
            let seconds = Double(Int.random(in: 1...6, using: &dice))
            session.dates.advance(by: seconds)
            oracle.now += seconds
            session.clock.advance(by: .seconds(seconds))
        default: try add(outbox, &oracle, &dice)
        }
    }

    private func add(
        _ outbox: JobOutbox<String>,
        _ oracle: inout OutboxOracle,
        _ dice: inout Dice
    ) throws {
        let key = ["a", "b", nil].randomElement(using: &dice) ?? nil
        let deduplicationID = ["x", "y", nil].randomElement(using: &dice) ?? nil
        let policies: [(String, DuplicatePolicy)] = [
            ("append", .append), ("replace", .replace), ("keep", .keep), ("join", .join),
        ]
        let (name, policy) = policies.randomElement(using: &dice) ?? policies[0]
        let isLater = Int.random(in: 0..<6, using: &dice) == 0
        let notBefore = isLater ? oracle.now + Double(Int.random(in: 1...5, using: &dice)) : nil
        if notBefore == nil, Bool.random(using: &dice) {
            let items = (0..<3).map { _ in "item \(Int.random(in: 0..<1_000, using: &dice))" }
            let ids = try outbox.add(
                contentsOf: items,
                key: { _ in key },
                deduplicationID: { _ in deduplicationID },
                duplicates: policy
            )
            for (item, id) in zip(items, ids) {
                let expected = oracle.add(
                    item,
                    key: key,
                    deduplicationID: deduplicationID,
                    policy: name,
                    notBefore: nil
                )
                XCTAssertEqual(id.description, "\(expected)")
            }
        } else {
            let item = "item \(Int.random(in: 0..<1_000, using: &dice))"
            let id = try outbox.add(
                item,
                key: key,
                deduplicationID: deduplicationID,
                duplicates: policy,
                notBefore: notBefore.map { Date(timeIntervalSinceReferenceDate: $0) }
            )
            let expected = oracle.add(
                item,
                key: key,
                deduplicationID: deduplicationID,
                policy: name,
                notBefore: notBefore
            )
            XCTAssertEqual(id.description, "\(expected)")
        }
    }

    /// Ends the session by `close()` or like a crash, sometimes during an attempt.
    private func end(
        _ outbox: JobOutbox<String>,
        _ oracle: inout OutboxOracle,
        _ session: Session,
        _ folder: TemporaryFolder,
        _ dice: inout Dice
    ) async throws {
        guard Bool.random(using: &dice) else {
            session.release.open()
            return await outbox.close()
        }
        let hangs = Bool.random(using: &dice) && oracle.entries.allSatisfy { $0.key != "hangs" }
        if hangs {
            let id = try outbox.add("hangs", key: "hangs")
            // No other entry may begin, because the oracle could not follow.
            let others = oracle.entries.filter { !$0.isDelayed(at: oracle.now) && $0.parked == nil }
            if others.isEmpty {
                outbox.resume(for: "program")
                await session.began.waitUntilOpen()
                let expected = oracle.add(
                    "hangs",
                    key: "hangs",
                    deduplicationID: nil,
                    policy: "append",
                    notBefore: nil
                )
                XCTAssertEqual(id.description, "\(expected)")
                let bytes = try folder.bytes
                session.release.open()
                await outbox.close()
                try Data(bytes).write(to: folder.file)
                oracle.interrupted(expected)
                return
            }
            XCTAssertTrue(try outbox.remove(id))
            let expected = oracle.add(
                "hangs",
                key: "hangs",
                deduplicationID: nil,
                policy: "append",
                notBefore: nil
            )
            XCTAssertTrue(oracle.remove(expected))
        }
        var bytes = try folder.bytes
        session.release.open()
        await outbox.close()
        // The beginning of a record, or zeros, from an incomplete write.
        if Bool.random(using: &dice) {
            bytes += Array(repeating: 0, count: Int.random(in: 1...600, using: &dice))
        }
        try Data(bytes).write(to: folder.file)
    }

    private func check(_ outbox: JobOutbox<String>, _ oracle: OutboxOracle, _ step: String) {
        let expected = oracle.entries.map { entry -> String in
            var state = OutboxEntry.State.waiting
            if let holdsKey = entry.parked {
                state = .parked(holdsKey: holdsKey)
            } else if entry.isDelayed(at: oracle.now) {
                let until = max(entry.until ?? -.infinity, entry.notBefore ?? -.infinity)
                state = .delayed(until: Date(timeIntervalSinceReferenceDate: until))
            }
            return text(
                "\(entry.id)",
                entry.key,
                entry.deduplicationID,
                state,
                entry.failures,
                entry.mayHaveBegun,
                entry.item
            )
        }
        let found = outbox.entries(limit: .max)
            .map { entry in
                text(
                    entry.id.description,
                    entry.key,
                    entry.deduplicationID,
                    entry.state,
                    entry.failureCount,
                    entry.mayHaveBegun,
                    (try? outbox.item(entry.id)).flatMap { $0 } ?? "no item"
                )
            }
        XCTAssertEqual(found, expected, step)
        let counts = outbox.counts
        XCTAssertEqual(
            counts.waiting + counts.delayed + counts.parked + counts.performing,
            expected.count,
            step
        )
    }

    private func text(
        _ id: String,
        _ key: String?,
        _ deduplicationID: String?,
        _ state: OutboxEntry.State,
        _ failures: Int,
        _ mayHaveBegun: Bool,
        _ item: String
    ) -> String {
        "\(id) \(key ?? "-") \(deduplicationID ?? "-") \(state) \(failures) \(mayHaveBegun) \(item)"
    }
}
