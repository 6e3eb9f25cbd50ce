import Foundation
import Synchronization
import XCTest

/// Tests sessions of the real server with random faults and random requests.
///
/// A kill, a signal, a lock or a full disk ends or disturbs each session at a random moment. No
/// confirmed request may be lost, no run that has ended may run again, and each end must be
/// reported.
///
/// `JOB_SERVER_LIVES` sets the number of sessions. `JOB_SERVER_SEED` repeats the choices of a test
/// run, but not its timing.
final class LivesTests: XCTestCase {
    private static let attempts = 3
    /// The number of sessions with one database.
    private static let livesOfAWorld = 10

    private struct Counts {
        var kills = 0
        var stops = 0
        var locks = 0
        var longLocks = 0
        var fullDisks = 0
        var drains = 0
        var runs = 0
        var ends = 0
    }

    func testNothingIsLostRepeatedOrUntold() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed =
            environment["JOB_SERVER_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0..<1_000_000)
        let lives = environment["JOB_SERVER_LIVES"].flatMap { Int($0) } ?? 20
        print("JOB_SERVER_SEED=\(seed)")
        var generator = SplitMix(state: seed)
        var counts = Counts()
        var lived = 0
        while lived < lives {
            let world = try World(lives: min(Self.livesOfAWorld, lives - lived), &generator)
            let violations = try world.live(&generator, &counts)
            for violation in violations { XCTFail("\(violation) (seed \(seed))") }
            lived += world.lives
            print("\(lived) lives: \(counts)")
            // Lets people follow a long test run.
            fflush(nil)
            guard violations.isEmpty else { return }
        }
    }

    /// One database and its successive servers.
    private final class World {
        private enum End {
            case kill
            case stop
            case drain
        }

        let lives: Int
        private let folder: TestFolder
        /// Nil if mounting a disk is not permitted.
        private let disk: SmallDisk?
        private let data: String
        private let folders: LifeClient.Folders
        private let witness = LifeWitness(RunOracle(attempts: LivesTests.attempts))
        private let tags = TagCounter()
        private var wasKilled = false

        init(lives: Int, _ generator: inout SplitMix) throws {
            self.lives = lives
            folder = try TestFolder()
            disk = generator.happens(80) ? try? SmallDisk(in: folder, megabytes: 16) : nil
            data = (disk?.path ?? folder.path) + "/data.sqlite"
            let (small, endless) = (folder.path + "/small", folder.path + "/endless")
            for (path, size) in [(small, 1 << 22), (endless, 1 << 42)] {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true
                )
                for name in ["a", "b"] {
                    try folder.write("", to: "\(path.dropFirst(folder.path.count + 1))/\(name)")
                    XCTAssertEqual(truncate(path + "/" + name, off_t(size)), 0)
                }
            }
            folders = LifeClient.Folders(small: small, endless: endless)
        }

        func live(_ generator: inout SplitMix, _ counts: inout Counts) throws -> [String] {
            for number in 1...lives {
                // The last session reports the end of every run.
                let choice = Int.random(in: 0..<100, using: &generator)
                let end: End = number == lives || choice < 15 ? .drain : choice < 25 ? .stop : .kill
                try live(end, &generator, &counts)
                let violations = witness.send { $0.violations }
                guard violations.isEmpty else { return violations }
            }
            XCTAssertEqual(try ServerProcess.run(["check", "--data", data]).0, 0)
            counts.runs += witness.send { $0.ids.count }
            counts.ends += witness.send { $0.endCount }
            return []
        }

        private func live(
            _ end: End,
            _ generator: inout SplitMix,
            _ counts: inout Counts
        ) throws {
            let server = try ServerProcess(
                in: folder,
                [
                    "--jobs", "4", "--width", "2", "--grace", "0.2", "--resume", "--give-up", "5",
                    "--attempts", String(LivesTests.attempts), "--allow", folder.path,
                ],
                data: data
            )
            witness.isOver.store(false, ordering: .sequentiallyConsistent)
            witness.isDoomed.store(false, ordering: .sequentiallyConsistent)
            witness.isHealthy.store(true, ordering: .sequentiallyConsistent)
            witness.send { $0.lifeBegan() }
            let listener = try EventListener(server)
            let endedBefore = try list(server)
            let clients = try start(3, on: server, &generator)

            usleep(UInt32.random(in: 0..<250_000, using: &generator))
            let trouble = try Trouble(folder, data, disk, &generator, &counts) {
                witness.isHealthy.store(false, ordering: .sequentiallyConsistent)
            }
            usleep(trouble.duration)
            let diesInTrouble = end == .kill && generator.happens(50)
            if !diesInTrouble {
                try trouble.end()
                usleep(UInt32.random(in: 0..<100_000, using: &generator))
            }
            switch end {
            case .kill:
                witness.isDoomed.store(true, ordering: .sequentiallyConsistent)
                server.signal(SIGKILL)
                counts.kills += 1
            case .stop:
                witness.isHealthy.store(false, ordering: .sequentiallyConsistent)
                witness.isDoomed.store(true, ordering: .sequentiallyConsistent)
                server.signal(SIGTERM)
                counts.stops += 1
            case .drain:
                witness.isOver.store(true, ordering: .sequentiallyConsistent)
                clients.wait()
                try drain(server, listener, endedBefore)
                server.signal(SIGKILL)
                counts.drains += 1
                counts.kills += 1
            }
            witness.isOver.store(true, ordering: .sequentiallyConsistent)
            clients.wait()
            let status = try server.end()
            if end == .stop, status != 0 {
                witness.send { $0.fail("SIGTERM ended it with \(status)") }
            }
            try trouble.end()
            try listener.waitForEnd()
            let heard = listener.all.filter { $0.name == "run" || $0.name == "snapshot" }
                .flatMap { $0.runs.map { RunSighting($0) }.sorted { $0.id < $1.id } }
            let lines = server.messages.split(separator: "\n")
            witness.send { oracle in
                oracle.logged(lines)
                oracle.heard(heard)
            }
            wasKilled = end != .stop
        }

        private func start(
            _ count: Int,
            on server: ServerProcess,
            _ generator: inout SplitMix
        ) throws -> DispatchGroup {
            let group = DispatchGroup()
            for _ in 0..<count {
                let seed = generator.next()
                let (witness, folders, tags) = (witness, folders, tags)
                group.enter()
                Thread {
                    var client = LifeClient(
                        server: server,
                        witness: witness,
                        folders: folders,
                        nextTag: { tags.next() },
                        generator: SplitMix(state: seed)
                    )
                    client.run()
                    group.leave()
                }
                .start()
            }
            return group
        }

        /// Reads the whole list and reports it to the oracle.
        ///
        /// - Returns: The numbers of the runs that have ended.
        @discardableResult
        private func list(_ server: ServerProcess) throws -> Set<Int> {
            var runs: [RunSighting] = []
            while true {
                let before = runs.last.map { "&before=\($0.id)" } ?? ""
                let page =
                    try server.get("/jobs?limit=500\(before)").json["runs"] as? [[String: Any]]
                runs += try XCTUnwrap(page).map { RunSighting($0) }
                if page?.count != 500 { break }
            }
            let known = Set(witness.send { $0.explainedIDs })
            var tags: [Int: Int] = [:]
            for run in runs where run.previousID == nil && !known.contains(run.id) {
                let detail = try server.get("/jobs/\(run.id)").json
                let parameters = detail["parameters"] as? [String: Any]
                tags[run.id] =
                    parameters?["width"] as? Int ?? parameters?["minimumSize"] as? Int
            }
            let (list, found, isAfterKill) = (runs, tags, wasKilled)
            witness.send { $0.listed(list, tags: found, isAfterKill: isAfterKill) }
            return Set(runs.filter(\.isEnd).map(\.id))
        }

        /// Lets all runs end, and checks that each end of this session was reported.
        private func drain(
            _ server: ServerProcess,
            _ listener: EventListener,
            _ endedBefore: Set<Int>
        ) throws {
            try waitUntil("the store is back") { try server.get("/health").status == 200 }
            try waitUntil("all runs have ended") {
                let open = try server.get("/jobs?limit=500&state=queued&state=running")
                let runs = (open.json["runs"] as? [[String: Any]] ?? [["id": 0]])
                    .map { RunSighting($0) }
                for run in runs where run.cancelRequestedAt == nil {
                    _ = try server.post("/jobs/\(run.id)/cancel")
                }
                return open.status == 200 && runs.isEmpty
            }
            wasKilled = false
            let ended = try list(server).subtracting(endedBefore)
            for id in ended {
                try listener.wait(for: "the end of \(id)") { event in
                    event.runs.map { RunSighting($0) }.contains { $0.id == id && $0.isEnd }
                }
            }
            for id in witness.send({ $0.ids }) where !witness.send({ $0.isEnded(id) }) {
                witness.send { $0.fail(id, "has no end") }
            }
        }
    }

    /// Prevents a server from writing for a while, or often does nothing.
    private final class Trouble {
        let duration: UInt32
        private var lock: DatabaseLock?
        private var disk: SmallDisk?

        init(
            _ folder: TestFolder,
            _ data: String,
            _ available: SmallDisk?,
            _ generator: inout SplitMix,
            _ counts: inout Counts,
            begins: () -> Void
        ) throws {
            let choice = Int.random(in: 0..<100, using: &generator)
            if choice < 25 {
                duration = UInt32.random(in: 0..<100_000, using: &generator)
                return
            }
            begins()
            if choice < 65, let available {
                duration = UInt32.random(in: 0..<1_000_000, using: &generator)
                try available.fill()
                disk = available
                counts.fullDisks += 1
            } else {
                // One in sixteen lasts longer than the server's patience.
                let isLong = generator.happens(6)
                duration =
                    isLong
                    ? UInt32.random(in: 5_100_000..<6_500_000, using: &generator)
                    : UInt32.random(in: 0..<600_000, using: &generator)
                lock = try DatabaseLock(on: data, in: folder)
                counts.locks += 1
                if isLong { counts.longLocks += 1 }
            }
        }

        func end() throws {
            lock?.release()
            try disk?.empty()
            (lock, disk) = (nil, nil)
        }
    }

    /// Counts, so that each number is unique.
    private final class TagCounter: Sendable {
        private let last = Atomic<Int>(0)

        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }
}
