import Testing

@testable import JobKit

/// Visits every state that any interleaving of calls and threads can reach.
@Suite struct OperationLifecycleExhaustiveTests {
    /// All reachable states, each with the events that led to it first.
    static let reachable: [LifecycleModel: [LifecycleModel.Event]] = {
        var found: [LifecycleModel: [LifecycleModel.Event]] = [LifecycleModel(): []]
        var open = [LifecycleModel()]
        while let model = open.popLast() {
            for event in LifecycleModel.Event.allCases {
                var next = model
                guard next.apply(event), found[next] == nil else { continue }
                found[next] = (found[model] ?? []) + [event]
                open.append(next)
            }
        }
        return found
    }()

    private func expectEverywhere(
        _ comment: Comment,
        _ holds: (LifecycleModel) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let failing = Self.reachable.filter { !holds($0.key) }
        let shortest = failing.min { $0.value.count < $1.value.count }
        #expect(shortest == nil, comment, sourceLocation: location)
    }

    @Test func theSearchIsNotVacuous() {
        #expect(Self.reachable.count > 100)
        #expect(Self.reachable.keys.contains { $0.word.contains(.finished) && $0.tellings == 1 })
        #expect(Self.reachable.keys.contains { $0.word.outcome == .timedOut })
    }

    @Test func noStepContradictsTheModel() {
        expectEverywhere("no faults") { $0.faults.isEmpty }
    }

    // O2, O7
    @Test func everythingHappensAtMostOnce() {
        expectEverywhere("O7: one start") { $0.starts <= 1 && $0.mains <= 1 }
        expectEverywhere("O5: told once") { $0.tellings <= 1 }
        expectEverywhere("O1: one end") { $0.endings <= 1 }
    }

    // O4: before a start there is neither `main()`, nor a call of `didCancel()`, nor an end.
    @Test func nothingRunsBeforeTheStart() {
        expectEverywhere("nothing before the start") {
            $0.starts == 1 || ($0.mains == 0 && $0.tellings == 0 && $0.endings == 0)
        }
    }

    // Nothing hangs: once every thread has done its part, a started operation that was finished, or
    // cancelled before its main, has ended.
    @Test func whatWasToEndHasEndedWhenNoThreadIsOnItsWay() {
        expectEverywhere("it has ended") { model in
            let isQuiet =
                !model.isSkipping && !model.isTelling && model.storing == nil && !model.isEnding
            guard isQuiet, model.starts == 1 else { return true }
            let mustEnd = model.firstFinish != nil || model.mains == 0
            return model.word.contains(.finished) == mustEnd
        }
    }

    // O3, O8: the outcome is what came first of an overrun and a cancel, then what the finish brought.
    @Test func outcomeFollowsFromWhatHappened() {
        expectEverywhere("the outcome") { model in
            guard model.word.contains(.finished) else { return true }
            switch (model.settled, model.firstFinish) {
            case (.byOverrun, _): return model.word.outcome == .timedOut
            case (.byCancel, _): return model.word.outcome == .cancelled
            case (nil, .fail): return model.word.outcome == .failed
            case (nil, .finishWithCancellation): return model.word.outcome == .cancelled
            case (nil, _): return model.word.outcome == .succeeded
            }
        }
    }

    @Test func cancelledIsSetByACancelOrAnOverrunOnly() {
        expectEverywhere("isCancelled") { $0.word.contains(.cancelled) == ($0.settled != nil) }
    }

    // A job decides by itself how it ends; no finish is stored before. Its decision is the only end.
    @Test func decidedEndIsTheOnlyOne() {
        for (model, path) in Self.reachable where model.firstFinish == nil {
            for unlessCancelled in [false, true] {
                var word = model.word
                let wasEnding = word.contains(.ending)
                let wins = word.endDecided(.withError, unlessCancelled: unlessCancelled)
                let yields = unlessCancelled && word.contains(.cancelled)
                #expect(wins == (!wasEnding && !yields), "after \(path)")
                guard wins else { continue }
                #expect(word.outcome == .failed, "after \(path)")
                #expect(word.endClaimed() == false, "after \(path)")
                #expect(word.finishCalled() == false, "after \(path)")
                #expect(word.cancelCalled() == .ignore, "after \(path)")
                #expect(word.runtimeOverrun() == .ignore, "after \(path)")
            }
        }
    }
}
