import XCTest

/// Tests that the oracle detects contradictions.
final class RunOracleTests: XCTestCase {
    /// A run with tag 1 that was confirmed and executed until the process was killed.
    private func oracle(isRepeatable: Bool = true) -> RunOracle {
        var oracle = RunOracle(attempts: 2)
        oracle.lifeBegan()
        oracle.submissionSent(1, hasKey: false, isRepeatable: isRepeatable)
        oracle.submitted(1, as: 1, isNew: true)
        oracle.heard([sighting(1, "queued"), sighting(1, "running")])
        return oracle
    }

    private func sighting(
        _ id: Int,
        _ state: String,
        after previous: Int? = nil
    ) -> RunSighting {
        RunSighting(id: id, state: state, previousID: previous)
    }

    private func check(
        _ oracle: RunOracle,
        finds words: String?,
        line: UInt = #line,
        _ list: RunSighting...
    ) {
        var oracle = oracle
        oracle.lifeBegan()
        oracle.listed(list, tags: [:], isAfterKill: true)
        if let words {
            XCTAssertTrue(
                oracle.violations.contains { $0.contains(words) },
                "\(oracle.violations)",
                line: line
            )
        } else {
            XCTAssertEqual(oracle.violations, [], line: line)
        }
    }

    func testWhatAKillMayLeave() {
        check(
            oracle(),
            finds: nil,
            sighting(1, "interrupted"),
            sighting(2, "queued", after: 1)
        )
        check(oracle(isRepeatable: false), finds: nil, sighting(1, "interrupted"))
        check(oracle(), finds: nil, sighting(1, "succeeded"))
    }

    func testWhatIsLostOrRunsOn() {
        check(oracle(), finds: "is lost")
        check(oracle(), finds: "after its process", sighting(1, "running"))
        check(oracle(), finds: "waits again", sighting(1, "queued"))
        check(oracle(), finds: "not resumed", sighting(1, "interrupted"))
    }

    func testWhatHadEndedAndRunsAgain() {
        var ended = oracle()
        ended.heard([sighting(1, "succeeded")])
        check(ended, finds: "and is told to be interrupted", sighting(1, "interrupted"))
        check(
            ended,
            finds: "runs in the place of 1",
            sighting(1, "succeeded"),
            sighting(2, "running", after: 1)
        )
        var started = ended
        started.lifeBegan()
        started.logged(["t info s: Job started job.id=1 job.kind=k"])
        XCTAssertTrue(started.violations.contains { $0.contains("run after its end") })
    }

    func testWhatWasCancelledOrDeletedOrNeverAskedFor() {
        var cancelled = oracle()
        cancelled.cancelled(1, isPromised: true, bound: cancelled.known(of: 1))
        check(
            cancelled,
            finds: "runs in the place of 1",
            sighting(1, "interrupted"),
            sighting(2, "queued", after: 1)
        )
        var deleted = oracle()
        deleted.heard([sighting(1, "failed")])
        deleted.deletionSent(1)
        deleted.deleted(1)
        check(deleted, finds: "was deleted", sighting(1, "failed"))
        check(
            oracle(),
            finds: "unknown origin",
            sighting(1, "succeeded"),
            sighting(2, "queued")
        )
    }

    func testWhatIsRepeatedForEver() {
        var oracle = oracle()
        oracle.lifeBegan()
        oracle.listed(
            [sighting(1, "interrupted"), sighting(2, "running", after: 1)],
            tags: [:],
            isAfterKill: true
        )
        XCTAssertEqual(oracle.violations, [])
        check(
            oracle,
            finds: "once too often",
            sighting(1, "interrupted"),
            sighting(2, "interrupted", after: 1),
            sighting(3, "queued", after: 2)
        )
    }
}
