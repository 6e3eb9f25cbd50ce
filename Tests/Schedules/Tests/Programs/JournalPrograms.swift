import Foundation
import JobJournal
import JobKit
import Scheduler

/// The races of the journal's writer and of the outbox.
final class JournalPrograms: Programs {
    /// Runs a program with an empty folder.
    private func exploreFolder(_ program: @escaping (World, URL) throws -> Void) {
        explore { world in
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "schedules-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            do { try program(world, folder) } catch { world.expect(false, "\(error)") }
        }
    }

    func testTwoStepsAtOnce() {
        exploreFolder { world, folder in
            let journal = try JobJournal(at: folder, job: "job")
            let steps = ["a", "b"].map { key in journal.step(key) { _ in key } }
            world.together({ steps[0].start() }, { steps[1].start() })
            world.wait(for: steps[0], steps[1])
            world.expectEqual(journal.recordedCount, 2, "both are recorded:")
        }
    }

    func testStepAgainstClose() {
        exploreFolder { world, folder in
            let journal = try JobJournal(at: folder, job: "job")
            let step = journal.step("a") { _ in 1 }
            world.spawnTask("closes") { await journal.close() }
            world.together({ step.start() })
            world.wait(for: step)
            world.expect(step.outcome != nil, "no outcome")
        }
    }

    func testStepAgainstCancel() {
        exploreFolder { world, folder in
            let journal = try JobJournal(at: folder, job: "job")
            let step = journal.step("a") { _ in 1 }
            world.together({ step.start() }, { step.cancel() })
            world.wait(for: step)
            if step.outcome?.isSuccess == true {
                world.expectEqual(journal.recordedCount, 1, "S3: recorded")
            }
        }
    }

    func testAddsToAnOutbox() {
        exploreFolder { world, folder in
            let outbox = try JobOutbox<String>(at: folder, name: "outbox") { item, _ in
                world.record(item)
            }
            world.together(
                { _ = try? outbox.add("a") },
                { _ = try? outbox.add("b") }
            )
            world.spawnTask("waits") { await outbox.waitUntilIdle() }
            world.join()
            world.expectEqual(world.events.sorted(), ["a", "b"], "performed:")
            world.spawnTask("closes") { await outbox.close() }
            world.join()
        }
    }

    func testRemovalAgainstAttempt() {
        exploreFolder { world, folder in
            let outbox = try JobOutbox<String>(at: folder, name: "outbox") { item, _ in
                world.record(item)
            }
            outbox.suspend(for: "test")
            let id = try outbox.add("a")
            world.together({ outbox.resume(for: "test") }, { _ = try? outbox.remove(id) })
            world.spawnTask("waits") { await outbox.waitUntilIdle() }
            world.join()
            world.expect(world.events.count <= 1, "performed twice")
            world.spawnTask("closes") { await outbox.close() }
            world.join()
        }
    }
}
