import Testing

@testable import JobKit

/// Visits every state that any interleaving of calls and threads can reach.
@Suite struct OperationLifecycleExhaustiveTests {
    /// All reachable states, each with the first events that led to it.
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
        #expect(Self.reachable.count > 250)
        #expect(Self.reachable.keys.contains { $0.word.contains(.finished) && $0.decision != nil })
        #expect(
            Self.reachable.keys.contains { $0.word.contains(.finished) && $0.didCancelCalls == 1 }
        )
        #expect(Self.reachable.keys.contains { $0.word.outcome == .timedOut })
        #expect(
            Self.reachable.keys.contains { $0.isAbandoned && $0.isInDidCancel && $0.endings == 1 }
        )
    }

    @Test func noStepContradictsTheModel() {
        expectEverywhere("no faults") { $0.faults.isEmpty }
    }

    // O2, O7
    @Test func everythingHappensAtMostOnce() {
        expectEverywhere("O7: one start") { $0.starts <= 1 && $0.mains <= 1 }
        expectEverywhere("O5: didCancel once") { $0.didCancelCalls <= 1 }
        expectEverywhere("O1: one end") { $0.endings <= 1 }
    }

    // O4: before a start, nothing calls `main()` or `didCancel()`, and the operation does not end.
    @Test func nothingRunsBeforeTheStart() {
        expectEverywhere("nothing before the start") {
            $0.starts == 1 || ($0.mains == 0 && $0.didCancelCalls == 0 && $0.endings == 0)
        }
    }

    // O5: `main()` and `didCancel()` run between the start and the end, in every order of calls.
    @Test func nothingRunsAfterTheEnd() {
        expectEverywhere("neither main nor didCancel") { model in
            guard model.endings == 1 else { return true }
            // O11: `didCancel()` of an abandoned operation may still run.
            return (!model.isInDidCancel || model.isAbandoned)
                && !(model.isPreparing && model.mains == 0 && canEnter(model))
        }
    }

    private func canEnter(_ model: LifecycleModel) -> Bool {
        var word = model.word
        return word.mainEntering()
    }

    // Nothing hangs. Once every thread has done its part, a started operation has ended if it was
    // finished, was cancelled before its main, or is a job that has decided its ending.
    @Test func operationThatMustEndHasEnded() {
        expectEverywhere("it has ended") { model in
            let isQuiet =
                !model.isPreparing && model.skips == 0 && !model.isInDidCancel
                && model.storing == nil
                && !model.isDecisionStoring && !model.isEnding
            guard isQuiet, model.starts == 1 else { return true }
            let mustEnd =
                model.firstFinish != nil || model.mains == 0 || model.decision != nil
                || model.isAbandoned
            return model.word.contains(.finished) == mustEnd
        }
    }

    // O11: an abandoned operation ends as soon as the payload of its finish or decision is stored,
    // even if its code still runs.
    @Test func abandonedOperationAlwaysEnds() {
        expectEverywhere("it has ended") { model in
            let isOnItsWay =
                model.storing != nil || model.isDecisionStoring || model.isEnding
            return !model.isAbandoned || isOnItsWay || model.word.contains(.finished)
        }
        expectEverywhere("asked to stop first") { !$0.isAbandoned || $0.settledBy != nil }
        expectEverywhere("and started") { !$0.isAbandoned || $0.starts == 1 }
    }

    // O11: a late finish, value or cancellation is ignored.
    @Test func nothingChangesAnAbandonedOperationThatHasEnded() {
        let ended = Self.reachable.filter { $0.key.isAbandoned && $0.key.word.contains(.finished) }
        #expect(ended.count > 10)
        for (model, path) in ended {
            var word = model.word
            #expect(word.finishCalled() == false, "after \(path)")
            #expect(word.cancelCalled() == .ignore, "after \(path)")
            #expect(word.runtimePassed() == .ignore, "after \(path)")
            #expect(word.stopTimePassed() == false, "after \(path)")
            #expect(word.mainEntering() == false, "after \(path)")
            #expect(word.mainSkipped() == false, "after \(path)")
            #expect(word.didCancelReturned() == false, "after \(path)")
        }
    }

    // O3, O8: the outcome is the decision of a job. Otherwise it comes from the timeout or
    // cancellation, whichever was first, or else from the finish.
    @Test func outcomeFollowsFromTheFirstCause() {
        expectEverywhere("the outcome") { model in
            guard model.word.contains(.finished) else { return true }
            let outcome = model.word.outcome
            switch (model.decision, model.settledBy, model.firstFinish) {
            case (.decideToFail, _, _): return outcome == .failed
            case (.decideToComplete, _, _): return outcome == .succeeded
            case (.decideToBeCancelled, _, _): return outcome == .cancelled
            case (_, .timeout, _): return outcome == .timedOut
            case (_, .cancel, _): return outcome == .cancelled
            case (_, nil, .fail): return outcome == .failed
            case (_, nil, _): return outcome == .succeeded
            }
        }
    }

    // O3, O8
    @Test func isCancelledAgreesWithTheCause() {
        expectEverywhere("isCancelled") {
            $0.word.contains(.cancelled) == ($0.settledBy != nil || $0.isCancelledLate)
        }
        expectEverywhere("cancelled ⇒ isCancelled") { model in
            let hasEnded = model.word.contains(.finished) && model.word.outcome == .cancelled
            return !hasEnded || model.word.contains(.cancelled)
        }
    }

    // J8, O12: after cancel(), the operation is cancelled or finished.
    @Test func cancelLeavesTheOperationCancelledOrFinished() {
        expectEverywhere("cancelled or finished") { model in
            var word = model.word
            _ = word.cancelCalled()
            return !word.isDisjoint(with: [.cancelled, .finished])
        }
    }

    // After a job's decision, only that decision ends the job.
    @Test func decidedEndIsTheOnlyOne() {
        let decided = Self.reachable.filter { $0.key.decision != nil }
        #expect(decided.count > 10)
        for (model, path) in decided {
            var word = model.word
            #expect(word.endDecided([]) == .refused, "after \(path)")
            #expect(word.finishCalled() == false, "after \(path)")
            #expect([.ignore, .announce].contains(word.cancelCalled()), "after \(path)")
            #expect(word.runtimePassed() == .ignore, "after \(path)")
        }
    }
}
