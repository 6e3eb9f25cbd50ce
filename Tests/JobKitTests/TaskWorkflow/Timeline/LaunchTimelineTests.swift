import Testing

@testable import JobKit

@Suite struct LaunchTimelineTests {
    typealias Machine = TaskWorkflowStateMachine

    private let start = ContinuousClock.now

    /// Returns the text of starts and ends in milliseconds.
    private func text(
        _ machine: Machine,
        _ tasks: [(name: String, began: Int?, ended: Int?, outcome: OperationOutcome)],
        openings: [Int] = [],
        ended: Int? = nil,
        now: Int = 5_000
    ) -> String {
        func instant(_ number: Int) -> LaunchTimeline.Instant { start + .milliseconds(number) }
        var timeline = LaunchTimeline()
        timeline.tasks = tasks.map { task in
            LaunchTimeline.Task(
                name: task.name,
                began: task.began.map(instant),
                ended: task.ended.map(instant),
                outcome: task.outcome.description
            )
        }
        timeline.openings = openings.map(instant)
        timeline.ended = ended.map(instant)
        return timeline.text(of: machine, named: "Launch", until: instant(now))
    }

    // W4: the launch of a real app with its measured times
    @Test func seedsLaunchIsWrittenInTheSeedsLayout() {
        var machine = Machine()
        for _ in 0..<2 { _ = machine.taskAdded(.mainQueue) }
        _ = machine.groupAdded([.mainQueue, .mainQueue, .concurrentQueue, .concurrentQueue])
        for _ in 0..<2 { _ = machine.taskAdded(.mainQueue) }
        let text = text(
            machine,
            [
                ("TaskA", 0, 201, .succeeded), ("TaskB", 201, 402, .succeeded),
                ("TaskC", 402, 602, .succeeded), ("TaskD", 602, 803, .succeeded),
                ("TaskE", 402, 507, .succeeded), ("TaskF", 402, 607, .succeeded),
                ("TaskG", 803, 816, .succeeded), ("TaskH", 816, 1_017, .succeeded),
            ],
            openings: [0, 402, 803],
            ended: 1_017
        )
        #expect(
            text == """
                [Launch start] - [TaskA 201ms] - [TaskB 201ms] - [TaskC 200ms] - [TaskD 201ms] \
                - [Waiting 0ms] - [TaskG 13ms] - [TaskH 201ms] - [Launch finish]
                                                               - [TaskE 105ms]
                                                               - [TaskF 205ms]
                """
        )
    }

    // W4
    @Test func groupWithoutMainTasksWaitsFromItsOpening() {
        var machine = Machine()
        _ = machine.taskAdded(.mainQueue)
        _ = machine.groupAdded([.concurrentQueue])
        _ = machine.groupAdded([.mainQueue])
        _ = machine.taskAdded(.concurrentQueue)
        let text = text(
            machine,
            [
                ("A", 0, 10, .succeeded), ("B", 12, 40, .succeeded), ("C", 40, 50, .succeeded),
                ("D", 50, 51, .succeeded),
            ],
            openings: [0, 10, 40, 50],
            ended: 51
        )
        #expect(
            text == """
                [Launch start] - [A 10ms] - [Waiting 30ms] - [C 10ms] - [Launch finish]
                                          - [B 28ms]
                                                                      - [D 1ms]
                """
        )
    }

    // W5
    @Test func taskThatDidNotSucceedReadsDifferently() {
        var machine = Machine()
        for _ in 0..<3 { _ = machine.taskAdded(.mainQueue) }
        let tasks: [(String, Int?, Int?, OperationOutcome)] = [
            ("A", 0, 10, .failed(MissingResultError(name: "A"))), ("B", 10, 12, .cancelled),
            ("C", nil, 13, .cancelled),
        ]
        #expect(
            text(machine, tasks, ended: 13)
                == "[Launch start] - [A 10ms failed] - [B 2ms cancelled] - [C cancelled] "
                + "- [Launch finish]"
        )
    }

    @Test func unfinishedLaunchShowsItsFinishedTasks() {
        var machine = Machine()
        for _ in 0..<3 { _ = machine.taskAdded(.mainQueue) }
        let tasks: [(String, Int?, Int?, OperationOutcome)] = [
            ("A", 0, 10, .succeeded), ("B", 10, nil, .succeeded), ("C", nil, nil, .succeeded),
        ]
        #expect(
            text(machine, tasks, now: 15)
                == "[Launch start] - [A 10ms] - [B 5ms executing] - [C not started]"
        )
    }

    // W4
    @Test func millisecondsAreWholeAndNamesStayOnTheLine() {
        var machine = Machine()
        _ = machine.taskAdded(.mainQueue)
        var timeline = LaunchTimeline()
        timeline.tasks = [LaunchTimeline.Task(name: "two\nlines", began: start)]
        timeline.taskEnded(0, "succeeded", at: start + .microseconds(1_999))
        timeline.taskEnded(0, "failed", at: start + .seconds(9))
        let text = timeline.text(of: machine, named: "Launch", until: start)
        #expect(text == "[Launch start] - [two␊lines 1ms]")
    }

    // W4: the text grows with the number of groups, and each row is below its stage's first task
    @Test(.timeLimit(.minutes(30))) func lineOfManyGroupsIsContinuedInFurtherLines() {
        var machine = Machine()
        let count = 2_000
        for _ in 0..<count { _ = machine.groupAdded([.mainQueue, .concurrentQueue]) }
        let names = (0..<count).flatMap { ["main \($0)", "beside \($0)"] }
        let text = text(machine, names.map { ($0, 0, 1, .succeeded) }, ended: 1)
        #expect(text.count < count * 2 * 2_000)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count < LaunchTimeline.width + 100 })
        #expect(lines.filter { $0.contains("[main") }.count > 10)
        #expect(text.ranges(of: "Launch start").count == 1)
        #expect(lines.last { $0.contains("[main") }?.hasSuffix("- [Launch finish]") == true)
        var mainLine = Substring()
        for line in lines {
            if line.contains("[main") { mainLine = line }
            guard let column = column(of: "beside ", in: line) else { continue }
            let number = line.drop { !$0.isNumber }.prefix { $0.isNumber }
            #expect(self.column(of: "main \(number) ", in: mainLine) == column)
        }
    }

    private func column(of name: String, in line: Substring) -> Int? {
        line.firstRange(of: name).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
}
