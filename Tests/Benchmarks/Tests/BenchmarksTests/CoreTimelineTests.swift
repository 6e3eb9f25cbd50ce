import Testing

@testable import benchmarks

@Suite struct CoreTimelineTests {
    private func note(
        _ thread: UInt,
        _ doing: CoreLog.Doing,
        _ time: UInt64,
        used: UInt64
    ) -> CoreLog.Note {
        CoreLog.Note(thread: thread, doing: doing, time: time, used: used)
    }

    /// One thread adds and works.
    ///
    /// Another begins later, works and sleeps in between.
    private var timeline: CoreTimeline {
        CoreTimeline(
            [
                note(1, .adding, 100, used: 7), note(2, .working, 120, used: 0),
                note(1, .between, 130, used: 37), note(2, .between, 140, used: 20),
                note(1, .working, 140, used: 47), note(1, .between, 200, used: 107),
                note(2, .completing, 180, used: 30), note(2, .between, 190, used: 40),
            ],
            begin: 100,
            end: 200
        )
    }

    @Test func timeOnACoreIsSharedOutByWhatWasDone() {
        let shares = timeline.shares(cores: 2, used: 150)
        #expect(shares.adding == 0.15)
        #expect(shares.working == 0.4)
        #expect(shares.completing == 0.05)
        #expect(abs(shares.queue - 0.1) < 1e-9)
        #expect(abs(shares.others - 0.05) < 1e-9)
        #expect(abs(shares.unused - 0.25) < 1e-9)
    }

    @Test func lineShowsWhatTookMostOfEachPart() {
        #expect(timeline.lines(from: 100, to: 200, columns: 10) == ["aaa·██████", "  ██····c "])
        #expect(timeline.lines(from: 100, to: 140, columns: 2) == ["aa", " █"])
    }

    @Test func threadsStandInTheOrderInWhichTheyCame() {
        #expect(timeline.threads.map(\.first?.begin) == [100, 120])
    }

    @Test(arguments: CoreRound.Subject.allCases)
    func roundNotesEveryTask(_ subject: CoreRound.Subject) {
        let round = CoreRound(count: 20, work: ProcessorWork(nanoseconds: 1_000))
        let result = round.run(subject)
        let stretches = result.timeline.threads.joined()
        #expect(stretches.count { $0.doing == .working } == 20)
        #expect(stretches.count { $0.doing == .completing } == 20)
        #expect(stretches.count { $0.doing == .adding } == 1)
        #expect(result.time > 0)
    }
}
