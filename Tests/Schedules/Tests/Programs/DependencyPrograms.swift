import Foundation
import JobKit
import Scheduler

/// The races of dependencies: O10, Q2.
final class DependencyPrograms: Programs {
    func testAddAgainstFinish() {
        explore { world in
            let (first, second) = (
                Witness(world, "first", finishes: false), Witness(world, "second")
            )
            first.start()
            world.together({ second.addDependency(first) }, { first.finish() })
            world.expect(second.isReady, "O10: not ready although its dependency has finished")
        }
    }

    func testRemoveAgainstFinish() {
        explore { world in
            let (first, second) = (
                Witness(world, "first", finishes: false), Witness(world, "second")
            )
            second.addDependency(first)
            first.start()
            world.together({ second.removeDependency(first) }, { first.finish() })
            world.expect(second.isReady, "O10: not ready")
            world.expect(second.dependencies.count <= 1, "O10: \(second.dependencies)")
        }
    }

    func testAddAgainstRemove() {
        explore { world in
            let (first, second) = (Witness(world, "first"), Witness(world, "second"))
            world.together({ second.addDependency(first) }, { second.removeDependency(first) })
            world.expectEqual(second.isReady, second.dependencies.isEmpty, "O10: ready")
        }
    }

    func testAddTwiceAgainstRemove() {
        explore { world in
            let (first, second) = (Witness(world, "first"), Witness(world, "second"))
            second.addDependency(first)
            world.together(
                { second.removeDependency(first) },
                { second.addDependency(first) },
                { first.start() }
            )
            world.expect(second.isReady, "O10: not ready")
        }
    }

    func testTwoDependenciesFinish() {
        explore { world in
            let queue = world.queue()
            let first = Witness(world, "first", finishes: false)
            let second = Witness(world, "second", finishes: false)
            let last = Witness(world, "last")
            for operation in [first, second] {
                operation.start()
                last.addDependency(operation)
            }
            queue.addOperation(last)
            world.together({ first.finish() }, { second.finish() })
            world.wait(for: last)
            world.expectEqual(last.entered, 1, "Q2: started")
        }
    }

    func testAddToQueueAgainstFinishOfDependency() {
        explore { world in
            let queue = world.queue(1)
            let (first, last) = (Witness(world, "first", finishes: false), Witness(world, "last"))
            first.start()
            last.addDependency(first)
            world.together({ queue.addOperation(last) }, { first.finish() })
            world.wait(for: last)
            world.expect(first.isFinished, "Q2: started before its dependency had finished")
        }
    }

    func testDependentFreedAgainstFinish() {
        explore { world in
            let first = Witness(world, "first", finishes: false)
            var last: Witness? = Witness(world, "last")
            last?.addDependency(first)
            first.start()
            if let last { world.mustBeFreed(last, "the dependent") }
            world.together({ last = nil }, { first.finish() })
        }
    }

    func testDependencyOfAnotherQueueAgainstSuspension() {
        explore { world in
            let (queue, other) = (world.queue(1), world.queue(1))
            let (first, last) = (Witness(world, "first"), Witness(world, "last"))
            last.addDependency(first)
            other.isSuspended = true
            other.addOperation(first)
            world.together({ queue.addOperation(last) }, { other.isSuspended = false })
            world.wait(for: first, last)
            world.expectEqual(world.events, ["first began", "last began"], "Q2:")
        }
    }

    func testCancelOfDependentAgainstFinish() {
        explore { world in
            let queue = world.queue()
            let (first, last) = (Witness(world, "first", finishes: false), Witness(world, "last"))
            last.addDependency(first)
            first.start()
            queue.addOperation(last)
            world.together({ last.cancel() }, { first.finish() })
            world.wait(for: last)
            last.check()
        }
    }
}
