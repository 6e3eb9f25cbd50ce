import Testing

@testable import JobKit

@Suite struct LaunchTimelineTests {
    typealias Machine = TaskWorkflowStateMachine<String>

    private let start = ContinuousClock.now

    /// Returns a record of starts and ends in milliseconds.
    private func timeline(
        _ machine: Machine,
        _ tasks: [(name: String, began: Int?, ended: Int?, outcome: OperationOutcome)],
        openings: [Int] = [],
        ended: Int? = nil,
        now: Int = 5_000
    ) -> LaunchTimeline<String> {
        func instant(_ number: Int) -> LaunchRecord.Instant { start + .milliseconds(number) }
        var record = LaunchRecord()
        record.tasks = tasks.map { task in
            LaunchRecord.Task(
                name: task.name,
                began: task.began.map(instant),
                ended: task.ended.map(instant),
                outcome: task.outcome.description
            )
        }
        record.openings = openings.map(instant)
        record.ended = ended.map(instant)
        return LaunchTimeline(name: "Launch", machine: machine, record: record, now: instant(now))
    }

    // W4: the launch of a real app with its measured times
    @Test func seedsLaunchIsWrittenInTheSeedsLayout() {
        var machine = Machine()
        for _ in 0..<2 { _ = machine.taskAdded("", queue: .mainQueue) }
        _ = machine.groupAdded([
            ("", .mainQueue), ("", .mainQueue), ("", .concurrentQueue), ("", .concurrentQueue),
        ])
        for _ in 0..<2 { _ = machine.taskAdded("", queue: .mainQueue) }
        let text = timeline(
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
        .text()
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
        _ = machine.taskAdded("", queue: .mainQueue)
        _ = machine.groupAdded([("", .concurrentQueue)])
        _ = machine.groupAdded([("", .mainQueue)])
        _ = machine.taskAdded("", queue: .concurrentQueue)
        let text = timeline(
            machine,
            [
                ("A", 0, 10, .succeeded), ("B", 12, 40, .succeeded), ("C", 40, 50, .succeeded),
                ("D", 50, 51, .succeeded),
            ],
            openings: [0, 10, 40, 50],
            ended: 51
        )
        .text()
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
        for _ in 0..<3 { _ = machine.taskAdded("", queue: .mainQueue) }
        let tasks: [(String, Int?, Int?, OperationOutcome)] = [
            ("A", 0, 10, .failed(MissingResultError(name: "A"))), ("B", 10, 12, .cancelled),
            ("C", nil, 13, .cancelled),
        ]
        #expect(
            timeline(machine, tasks, ended: 13).text()
                == "[Launch start] - [A 10ms failed] - [B 2ms cancelled] - [C cancelled] "
                + "- [Launch finish]"
        )
    }

    @Test func unfinishedLaunchShowsItsFinishedTasks() {
        var machine = Machine()
        for _ in 0..<3 { _ = machine.taskAdded("", queue: .mainQueue) }
        let tasks: [(String, Int?, Int?, OperationOutcome)] = [
            ("A", 0, 10, .succeeded), ("B", 10, nil, .succeeded), ("C", nil, nil, .succeeded),
        ]
        #expect(
            timeline(machine, tasks, now: 15).text()
                == "[Launch start] - [A 10ms] - [B 5ms executing] - [C not started]"
        )
    }

    // W4
    @Test func millisecondsAreWholeAndNamesStayOnTheLine() {
        var machine = Machine()
        _ = machine.taskAdded("", queue: .mainQueue)
        var record = LaunchRecord()
        record.tasks = [LaunchRecord.Task(name: "two\nlines", began: start)]
        record.taskEnded(0, "succeeded", at: start + .microseconds(1_999))
        record.taskEnded(0, "failed", at: start + .seconds(9))
        let timeline = LaunchTimeline(name: "Launch", machine: machine, record: record, now: start)
        #expect(timeline.text() == "[Launch start] - [two␊lines 1ms]")
    }

    // W4: the text grows with the number of groups, and each row is below its stage's first task
    @Test(.timeLimit(.minutes(30))) func lineOfManyGroupsIsContinuedInFurtherLines() {
        var machine = Machine()
        let count = 2_000
        for _ in 0..<count { _ = machine.groupAdded([("", .mainQueue), ("", .concurrentQueue)]) }
        let names = (0..<count).flatMap { ["main \($0)", "beside \($0)"] }
        let text = timeline(machine, names.map { ($0, 0, 1, .succeeded) }, ended: 1).text()
        #expect(text.count < count * 2 * 2_000)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count < LaunchTimeline<String>.width + 100 })
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
