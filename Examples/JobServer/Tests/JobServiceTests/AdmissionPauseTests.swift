import Testing

@testable import JobService

@Suite struct AdmissionPauseTests {
    private typealias Machine = AdmissionStateMachine<Int, String>

    private func open(width: Int, limit: Int) -> Machine {
        var machine = Machine(width: width, queueLimit: limit)
        _ = machine.opened(with: [], at: 0)
        return machine
    }

    @Test func pausedQueueStartsNothingUntilItIsResumed() {
        var machine = open(width: 1, limit: 9)
        #expect(machine.runAdded(.init(id: 1, kind: "a"), at: 0) == [1])
        #expect(machine.pausesChanged(isPaused: true, kinds: []) == [])
        #expect(machine.runAdded(.init(id: 2, kind: "a"), at: 0) == [])
        #expect(machine.runAdded(.init(id: 3, kind: "a", runAt: 9), at: 0) == [])
        #expect(machine.runEnded(1) == [])
        #expect(machine.timeCame(9) == [])
        #expect(machine.place(of: 2) == .paused(isKind: false))
        #expect(machine.pausesChanged(isPaused: false, kinds: []) == [2])
        #expect(machine.runEnded(2) == [3])
    }

    @Test func runsOfAPausedKindAreOvertaken() {
        var machine = open(width: 1, limit: 9)
        #expect(machine.pausesChanged(isPaused: false, kinds: ["a"]) == [])
        #expect(machine.runAdded(.init(id: 1, kind: "a", priority: 9), at: 0) == [])
        #expect(machine.runAdded(.init(id: 2, kind: "b"), at: 0) == [2])
        #expect(machine.runAdded(.init(id: 3, kind: "a"), at: 0) == [])
        #expect(machine.runAdded(.init(id: 4, kind: "b"), at: 0) == [])
        #expect(machine.place(of: 1) == .paused(isKind: true))
        #expect(machine.place(of: 4) == .waiting(ahead: 0, queued: 1))
        #expect(machine.queuedCounts == ["a": 2, "b": 1])
        #expect(machine.pausesChanged(isPaused: false, kinds: []) == [])
        #expect(machine.place(of: 4) == .waiting(ahead: 2, queued: 3))
        #expect(machine.runEnded(2) == [1])
    }

    @Test func pausedRunsTakeNoPlaceOfARunThatCanStart() {
        var machine = open(width: 1, limit: 1)
        _ = machine.pausesChanged(isPaused: false, kinds: ["a"])
        #expect(machine.placeAsked(kind: "a") == .accepted)
        #expect(machine.runQueued(.init(id: 1, kind: "a"), at: 0) == [])
        #expect(machine.placeAsked(kind: "a") == .full)
        #expect(machine.placeAsked(kind: "b") == .accepted)
        #expect(machine.runQueued(.init(id: 2, kind: "b"), at: 0) == [2])
        #expect(machine.placeAsked(kind: "b") == .full)
        // While the queue is paused, no run can start.
        #expect(machine.pausesChanged(isPaused: true, kinds: []) == [])
        #expect(machine.runEnded(2) == [])
        #expect(machine.placeAsked(kind: "b") == .full)
        #expect(machine.pausesChanged(isPaused: false, kinds: []) == [1])
    }

    @Test func pauseDoesNotOutlastAStop() {
        var machine = open(width: 1, limit: 9)
        _ = machine.pausesChanged(isPaused: true, kinds: [])
        _ = machine.runAdded(.init(id: 1, kind: "a"), at: 0)
        machine.stopBegan()
        #expect(machine.pausesChanged(isPaused: false, kinds: []) == [])
        #expect(machine.place(of: 1) == .closed)
    }

    private enum Input: CaseIterable {
        case addA, addB, pauseAll, resumeAll, pauseA, resumeA, end
    }

    /// Compares all sequences of five inputs with a model that looks for the next run each time.
    @Test(arguments: 1...2) func everySequenceStartsWhatTheModelStarts(width: Int) {
        let all = Input.allCases
        for number in 0..<(all.count * all.count * all.count * all.count * all.count) {
            var rest = number
            var (machine, model) = (open(width: width, limit: 9), Model(width: width))
            var inputs: [Input] = []
            for _ in 0..<5 {
                let input = all[rest % all.count]
                rest /= all.count
                inputs.append(input)
                let starts = send(input, to: &machine, model.added + 1)
                let expected = model.starts(after: input)
                guard starts == expected else {
                    Issue.record("\(inputs): started \(starts), not \(expected)")
                    return
                }
            }
        }
    }

    private func send(_ input: Input, to machine: inout Machine, _ next: Int) -> [Int] {
        let kinds = machine.pausedKinds
        switch input {
        case .addA: return machine.runAdded(.init(id: next, kind: "a"), at: 0)
        case .addB: return machine.runAdded(.init(id: next, kind: "b"), at: 0)
        case .pauseAll: return machine.pausesChanged(isPaused: true, kinds: kinds)
        case .resumeAll: return machine.pausesChanged(isPaused: false, kinds: kinds)
        case .pauseA: return machine.pausesChanged(isPaused: machine.isPaused, kinds: ["a"])
        case .resumeA: return machine.pausesChanged(isPaused: machine.isPaused, kinds: [])
        case .end: return machine.runEnded(machine.running.min() ?? 0)
        }
    }

    private struct Model {
        let width: Int
        var added = 0
        private var waiting: [(id: Int, kind: String)] = []
        private var running: Set<Int> = []
        private var isPaused = false
        private var isPausedA = false

        init(width: Int) {
            self.width = width
        }

        mutating func starts(after input: Input) -> [Int] {
            switch input {
            case .addA, .addB:
                added += 1
                waiting.append((added, input == .addA ? "a" : "b"))
            case .pauseAll: isPaused = true
            case .resumeAll: isPaused = false
            case .pauseA: isPausedA = true
            case .resumeA: isPausedA = false
            case .end: if let first = running.min() { running.remove(first) }
            }
            var starts: [Int] = []
            while !isPaused, running.count < width,
                let place = waiting.firstIndex(where: { !(isPausedA && $0.kind == "a") })
            {
                let id = waiting.remove(at: place).id
                running.insert(id)
                starts.append(id)
            }
            return starts
        }
    }
}
