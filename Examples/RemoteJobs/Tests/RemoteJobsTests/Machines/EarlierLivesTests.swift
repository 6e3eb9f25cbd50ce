import Testing

@testable import RemoteJobs

/// Tests the results that a resumed job reuses.
///
/// Each case lists a stream's records in order.
@Suite struct EarlierLivesTests {
    private typealias Lives = EarlierLives<String>
    private typealias Task = JobRecord<String>.Task

    private func task(_ number: Int, _ life: String = "one", work: Name = "w") -> Task {
        let name = TaskName(work: work, key: "k")
        return Task(name: name, id: PublicationID(life: life, number: number), digest: 1)
    }

    private func lives(remembersFailures: Bool = false) -> Lives {
        var lives = Lives(remembersFailures: remembersFailures)
        lives.lifeBegan("one")
        lives.lifeBegan("two")
        return lives
    }

    private func text(_ known: Lives.Known?) -> String {
        guard let known else { return "nothing" }
        switch known.kept {
        case .here(.done(let body)): return "\(known.id.text) done \(body)"
        case .here(.failed(let body)): return "\(known.id.text) failed \(body)"
        case .here(let outcome): return "\(known.id.text) \(outcome)"
        case .inStream(let place): return "\(known.id.text) at \(place.offset)"
        case nil: return "\(known.id.text) queued"
        }
    }

    private func taken(_ lives: Lives, work: Name = "w") -> String {
        var lives = lives
        return text(lives.take(TaskName(work: work, key: "k")))
    }

    @Test func anOutcomeOfAnotherWorkWithTheSameKeyIsNotTaken() {
        var lives = lives()
        #expect(lives.ended(task(1, work: "a"), .done("16"), at: nil) == true)
        #expect(taken(lives, work: "b") == "nothing")
        #expect(taken(lives, work: "a") == "one.1 done 16")
    }

    @Test func theLastAttemptsOutcomeCountsInWhateverOrderTheyCome() {
        for isLate in [false, true] {
            var lives = lives()
            if !isLate { #expect(lives.ended(task(1), .failed("no"), at: nil) == true) }
            #expect(lives.ended(task(2), .done("yes"), at: nil) == true)
            if isLate { #expect(lives.ended(task(1), .failed("no"), at: nil) == false) }
            #expect(taken(lives) == "one.2 done yes")
        }
    }

    @Test func aLaterLifesOutcomeCountsAgainstAHigherNumberOfAnEarlierOne() {
        var lives = lives()
        #expect(lives.ended(task(9), .done("old"), at: nil) == true)
        lives.queued(task(1, "two"))
        #expect(lives.ended(task(9), .done("old"), at: nil) == false)
        #expect(taken(lives) == "two.1 queued")
        #expect(lives.ended(task(1, "two"), .done("new"), at: nil) == true)
        #expect(taken(lives) == "two.1 done new")
    }

    @Test func aFailureIsTakenOverOnlyIfThatIsAskedFor() {
        for isAsked in [false, true] {
            var lives = lives(remembersFailures: isAsked)
            #expect(lives.ended(task(1), .failed("no"), at: nil) == true)
            #expect(taken(lives) == (isAsked ? "one.1 failed no" : "nothing"))
        }
    }

    @Test func aPublicationThatRanTwiceAndSucceededOnceHasSucceeded() {
        var lives = lives()
        #expect(lives.ended(task(1), .failed("no"), at: nil) == true)
        #expect(lives.ended(task(1), .done("yes"), at: nil) == true)
        #expect(lives.ended(task(1), .failed("no"), at: nil) == false)
        #expect(taken(lives) == "one.1 done yes")
    }

    @Test func aStoppedTaskRunsAnewThoughAnOlderOutcomeComesLate() {
        var lives = lives()
        lives.queued(task(2))
        #expect(lives.ended(task(2), .stopped, at: nil) == true)
        #expect(lives.ended(task(1), .done("late"), at: nil) == false)
        #expect(taken(lives) == "nothing")
    }

    @Test func whatWasTakenOverIsNotTakenTwiceAndItsOutcomesAreLate() {
        var lives = lives()
        lives.queued(task(1))
        let name = TaskName(work: "w", key: "k")
        #expect(text(lives.take(name)) == "one.1 queued")
        #expect(text(lives.take(name)) == "nothing")
        #expect(lives.ended(task(1), .done("late"), at: nil) == false)
    }

    @Test func ofManyOutcomesOnlyThePlacesAreKept() {
        var lives = lives()
        let half = Lives.keptBytesLimit / 2
        for number in 0..<10 {
            let id = PublicationID(life: "one", number: number)
            let task = Task(name: TaskName(work: "w", key: "\(number)"), id: id, digest: 1)
            #expect(
                lives.ended(task, .done("v"), at: StreamPlace(offset: number, bytes: half)) == true
            )
        }
        let texts = (0..<10).map { text(lives.take(TaskName(work: "w", key: "\($0)"))) }
        #expect(texts[0] == "one.0 done v")
        #expect(texts[1] == "one.1 done v")
        #expect(texts[2...].enumerated().allSatisfy { $1 == "one.\($0 + 2) at \($0 + 2)" })
    }
}
