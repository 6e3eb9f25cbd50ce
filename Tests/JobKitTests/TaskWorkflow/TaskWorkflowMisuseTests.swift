import Foundation
import JobKit
import Testing

// Exit tests start a process, which only these platforms support.
#if os(macOS) || os(Linux)
/// Checks that the process trapped and that the message contains the given text.
@Suite struct TaskWorkflowMisuseTests {
    private static func expect(_ result: ExitTest.Result?, toSay words: String) {
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains(words), "\(text)")
    }

    // W6
    @Test func dependencyOnALaterMainQueueTaskTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            let (first, second) = (LaunchTask(name: "First"), LaunchTask(name: "Second"))
            first.addDependency(second)
            workflow.addTask(first)
            workflow.addTask(second)
            workflow.start()
        }
        Self.expect(
            result,
            toSay: "Launch can never finish: First depends on Second, which can start only after"
        )
    }

    // W6
    @Test func dependencyOfAGroupsTaskOnOneBehindTheGroupTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            let first = LaunchTask(name: "First", queue: .concurrentQueue)
            let second = LaunchTask(name: "Second", queue: .concurrentQueue)
            first.addDependency(second)
            workflow.addBlockingTasks([first])
            workflow.addTask(second)
            workflow.start()
        }
        Self.expect(result, toSay: "First depends on Second")
    }

    // W6
    @Test func cycleTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            let first = LaunchTask(name: "First", queue: .concurrentQueue)
            let second = LaunchTask(name: "Second", queue: .concurrentQueue)
            first.addDependency(second)
            second.addDependency(first)
            for task in [first, second] { workflow.addTask(task) }
            workflow.start()
        }
        Self.expect(result, toSay: "Launch can never finish")
    }

    // W6
    @Test func dependencyOnATaskThatIsAddedBehindWhileItRunsTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            let (first, second) = (LaunchTask(name: "First"), LaunchTask(name: "Second"))
            first.addDependency(second)
            workflow.addTask(
                ClosureTask(name: "Adder", queue: .concurrentQueue) { _ in
                    workflow.addTask(second)
                }
            )
            workflow.addTask(first)
            try await workflow.run(context: [:])
        }
        Self.expect(result, toSay: "Launch can never finish: First depends on Second")
    }

    @Test func taskAddedTwiceTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            let task = LaunchTask(name: "First")
            workflow.addBlockingTasks([task, task])
        }
        Self.expect(result, toSay: "First was added to Launch, but it belongs to it already")
    }

    @Test func taskThatWasStartedTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let task = LaunchTask(name: "First")
            task.start()
            TaskWorkflow(name: "Launch").addTask(task)
        }
        Self.expect(result, toSay: "First was added to Launch, but it has been started")
    }

    @Test func taskAddedToAFinishedWorkflowTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let workflow = TaskWorkflow(name: "Launch")
            workflow.start()
            workflow.addTask(LaunchTask(name: "First"))
        }
        Self.expect(result, toSay: "Launch can't track First because Launch has finished")
    }

    @Test func mainActorMethodOnTheConcurrentQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = MethodTask(
                name: "Window",
                queue: .concurrentQueue,
                target: Screen(),
                method: Screen.show
            )
        }
        Self.expect(result, toSay: "the method of Window belongs to the main actor")
    }

    @Test func mainActorClosureStartedOnAnotherThreadTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let task = ClosureTask(name: "Window", onMain: { _ in })
            await withCheckedContinuation { started in
                Thread.detachNewThread {
                    task.start()
                    started.resume()
                }
            }
        }
        Self.expect(result, toSay: "Window belongs to the main actor, but was started on another")
    }
}

@MainActor private final class Screen {
    nonisolated init() {}
    func show() {}
}
#endif
