import Foundation
import Testing

@testable import JobKit

/// What traps, and that the message names it.
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
        Self.expect(result, toSay: "Launch was told to track First, but it has finished")
    }
}
