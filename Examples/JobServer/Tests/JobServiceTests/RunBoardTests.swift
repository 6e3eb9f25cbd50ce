import JobStore
import Testing

@testable import JobService

@Suite struct RunBoardTests {
    private func record(_ id: Int64, _ state: RunState, _ progress: Double = 0) -> RunRecord {
        RunRecord(
            id: id,
            kind: "k",
            title: "t",
            state: state,
            progress: progress,
            submittedAt: 0
        )
    }

    @Test func aRunNeverGoesBack() {
        let board = RunBoard()
        #expect(board.put(record(1, .running, 0.5)) == true)
        #expect(board.put(record(1, .queued)) == false)
        #expect(board.put(record(1, .running, 0.5)) == false)
        #expect(board.put(record(1, .running, 0.6)) == true)
        #expect(board.put(record(1, .failed, 0.6)) == true)
        #expect(board.put(record(1, .running, 0.9)) == false)
        #expect(board.put(record(1, .succeeded, 1)) == false)
        #expect(board.newest([record(1, .queued)]) == [record(1, .failed, 0.6)])
    }

    /// The first list of a stream once contained succeeded, and the next event running.
    @Test func whatWasReadFromTheDatabaseIsNotTakenBack() {
        let board = RunBoard()
        board.put(record(1, .running, 0.5))
        #expect(board.newest([record(1, .succeeded, 1)]) == [record(1, .succeeded, 1)])
        #expect(board.records([1])[1] == record(1, .succeeded, 1))
        #expect(board.put(record(1, .running, 0.6)) == false)
        // An unknown run stays unknown, because it may have been deleted.
        #expect(board.newest([record(2, .failed)]) == [record(2, .failed)])
        #expect(board.records([2]).isEmpty)
    }

    @Test func whatRunsIsRememberedLongerThanTheRest() {
        let board = RunBoard()
        board.put(record(1, .running))
        for id in 2..<Int64(3 * RunBoard.memory) { board.put(record(id, .succeeded)) }
        #expect(board.records([1]).count == 1)
        #expect(board.records([2]).isEmpty)
        #expect(board.records(1..<10_000).count <= RunBoard.memory + 1)
    }
}
