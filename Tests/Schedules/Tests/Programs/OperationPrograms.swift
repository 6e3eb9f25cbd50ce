import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of one operation: O1 to O5, O8, O11 and O12.
final class OperationPrograms: Programs {
    func testStartAgainstCancel() {
        explore { world in
            let operation = Witness(world)
            world.together({ operation.start() }, { operation.cancel() })
            operation.check()
        }
    }

    func testStartAgainstFinish() {
        explore { world in
            let operation = Witness(world)
            world.together({ operation.start() }, { operation.finish() })
            operation.check()
            world.expect(operation.outcome?.isSuccess == true, "O2: \(operation.outcome as Any)")
        }
    }

    func testStartAgainstFinishAndCancel() {
        explore { world in
            let operation = Witness(world, finishes: false)
            world.together({ operation.start() }, { operation.finish() }, { operation.cancel() })
            operation.check()
        }
    }

    func testFinishAgainstFinish() {
        explore { world in
            let operation = EventOperation<Int>()
            operation.start()
            var results: [Int?] = []
            let finish = { (value: Int) in
                operation.finish(returning: value)
                results.append(try? operation.result?.get())
            }
            world.together({ finish(1) }, { finish(2) })
            world.wait(for: operation)
            world.expect(Set(results.compactMap { $0 }).count == 1, "O2: \(results)")
        }
    }

    func testFinishAgainstCancel() {
        explore { world in
            let operation = world.held(stops: false)
            world.together({ operation.finish() }, { operation.cancel() })
            operation.check()
        }
    }

    func testFailureAgainstCancel() {
        explore { world in
            let operation = world.held()
            world.together({ operation.finish(with: ProgramError()) }, { operation.cancel() })
            operation.check()
            if case .cancelled? = operation.outcome {
                world.expect(operation.error == nil, "O3: cancelled with an error")
            }
        }
    }

    func testCancelAgainstCancel() {
        explore { world in
            let operation = world.held()
            world.together({ operation.cancel() }, { operation.cancel() })
            operation.check()
            world.expect(operation.asked == 1, "O5: didCancel() was not called")
        }
    }

    func testFinishAgainstWait() {
        explore { world in
            let operation = world.held()
            world.spawnTask("waits") {
                await operation.waitForFinish()
                world.expect(operation.isFinished, "a wait ended before the finish")
            }
            world.together({ operation.finish() })
            operation.check()
        }
    }

    func testCancelBeforeStartAgainstWait() {
        explore { world in
            let operation = Witness(world)
            world.spawnTask("waits") { await operation.waitForFinish() }
            world.together({ operation.cancel() })
            operation.start()
            operation.check()
            world.expect(operation.entered == 0, "O4: main() was entered")
        }
    }

    func testValueAgainstFinish() {
        explore { world in
            let operation = EventOperation<Int>()
            operation.start()
            world.spawnTask("awaits") {
                let value = try? await operation.value
                world.expect(value == 7, "O3: the value is \(value as Any)")
            }
            world.together({ operation.finish(returning: 7) })
        }
    }

    func testValueAgainstCancel() {
        explore { world in
            let operation = EventOperation<Int>()
            operation.start()
            world.spawnTask("awaits") {
                let value = try? await operation.value
                world.expect(value == nil || value == 7, "O3: the value is \(value as Any)")
                world.expect(operation.outcome != nil, "O3: a value without an outcome")
            }
            world.together({ operation.finish(returning: 7) }, { operation.cancel() })
        }
    }

    func testTimeoutAgainstFinish() {
        explore { world in
            let clock = ManualClock()
            let operation = Witness(world, finishes: false)
            (operation.clock, operation.maximumRuntime) = (clock, .seconds(5))
            operation.start()
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(5)) }, { operation.finish() })
            world.wait(for: operation)
            operation.check()
        }
    }

    func testTimeoutAgainstCancel() {
        explore { world in
            let clock = ManualClock()
            let operation = Witness(world, finishes: false)
            (operation.clock, operation.maximumRuntime) = (clock, .seconds(5))
            operation.start()
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(5)) }, { operation.cancel() })
            world.wait(for: operation)
            operation.check()
            world.expect(operation.isCancelled, "O8: not cancelled")
        }
    }

    func testAbandonAgainstFinish() {
        explore { world in
            let clock = ManualClock()
            let operation = Witness(world, finishes: false, stops: false)
            (operation.clock, operation.maximumStopTime) = (clock, .seconds(5))
            operation.start()
            operation.cancel()
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(5)) }, { operation.finish() })
            world.wait(for: operation)
            operation.check()
        }
    }

    func testDelayAgainstFinish() {
        explore { world in
            let clock = ManualClock()
            let operation = Witness(world, finishes: false)
            operation.clock = clock
            operation.start()
            operation.perform(after: .seconds(1)) {
                world.record("delay")
                operation.finish()
            }
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(1)) }, { operation.finish() })
            world.wait(for: operation)
            operation.check()
            world.expect(world.count("delay") <= 1, "O8: a delay passed twice")
        }
    }

    func testWillFinishAgainstCancel() {
        explore { world in
            let operation = world.held()
            var outcomes: [String] = []
            world.together(
                {
                    operation.finish()
                    outcomes.append("\(operation.outcome as Any)")
                },
                { operation.cancel() }
            )
            operation.check()
            let end = "\(operation.outcome as Any)"
            world.expect(outcomes == [end] || outcomes == ["nil"], "O12: \(outcomes), \(end)")
        }
    }

    func testDoneAgainstCancel() {
        explore { world in
            let operation = CallbackOperation<Int> { done in
                world.spawn("calls") { done(.success(1)) }
            }
            operation.start()
            world.together({ operation.cancel() })
            world.wait(for: operation)
            world.expect(operation.result != nil, "O2: no result")
        }
    }

    func testDoneReleasedAgainstCancel() {
        final class Held: @unchecked Sendable {
            var done: ((Result<Int, any Error>) -> Void)?
        }
        explore { world in
            let held = Held()
            let operation = CallbackOperation<Int> { done in held.done = done }
            operation.start()
            world.together({ held.done = nil }, { operation.cancel() })
            world.wait(for: operation)
            world.expect(operation.error is CallbackLostError || operation.isCancelled, "O3")
        }
    }

    func testRunAgainstCancellationOfItsTask() {
        explore { world in
            let operation = Witness(world, finishes: false)
            let queue = world.queue()
            let task = Task {
                try? await operation.run(on: queue)
                world.record("returned")
            }
            world.together({ task.cancel() })
            world.wait { world.count("returned") == 1 }
            world.expect(operation.isCancelled, "run() did not cancel")
            world.expect(operation.isFinished, "run() returned before the finish")
        }
    }

    func testAsyncBodyAgainstCancel() {
        explore { world in
            let operation = AsyncOperation<Int> {
                world.record("body")
                return 1
            }
            world.together({ operation.start() }, { operation.cancel() })
            world.wait(for: operation)
            world.expect(world.count("body") <= 1, "the body ran twice")
        }
    }
}
