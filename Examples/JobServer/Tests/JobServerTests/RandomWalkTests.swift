import Foundation
import XCTest

/// Submits, cancels, repeats and kills at random, and compares the results with the answers.
final class RandomWalkTests: XCTestCase {
    /// The states of a run that the answers so far permit.
    private struct Known {
        var allowed: Set<String>
    }

    func testNothingThatWasAnsweredIsEverContradicted() throws {
        let seed =
            ProcessInfo.processInfo.environment["JOB_SERVER_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0..<1_000_000)
        print("JOB_SERVER_SEED=\(seed)")
        var generator = SplitMix(state: seed)
        let folder = try TestFolder()
        let options = ["--jobs", "2", "--width", "2", "--queue-limit", "1000", "--grace", "0"]
        var server = try ServerProcess(in: folder, options)
        var known: [Int: Known] = [:]
        let any = Set(["queued", "running", "succeeded", "failed", "cancelled"])
        for step in 0..<120 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<10:
                let fails = Int.random(in: 0..<4, using: &generator) == 0
                let long = Int.random(in: 0..<4, using: &generator) == 0
                let answer = try server.submitSteps(
                    3,
                    long ? 3_600_000 : 1,
                    fails ? ",\"fails\":1" : ""
                )
                XCTAssertEqual(answer.status, 201)
                XCTAssertNil(known[answer.id], "A number came twice")
                known[answer.id] = Known(
                    allowed: any.subtracting([fails ? "succeeded" : "failed"])
                )
            case 10..<15:
                guard let id = known.keys.sorted().randomElement(using: &generator) else {
                    continue
                }
                let status = try server.post("/jobs/\(id)/cancel").status
                let state = try server.get("/jobs/\(id)").state
                if status == 202 {
                    // It may have ended before the cancellation, or be about to start.
                    try waitUntil("\(id) is queued no more") {
                        try server.get("/jobs/\(id)").state != "queued"
                    }
                    known[id]?.allowed.remove("queued")
                } else {
                    XCTAssertEqual(status, 409, "step \(step)")
                    XCTAssertTrue(Self.ends.contains(state), "\(state)")
                    known[id]?.allowed = [state]
                }
            case 15..<18:
                guard let id = known.keys.sorted().randomElement(using: &generator) else {
                    continue
                }
                let answer = try server.post("/jobs/\(id)/run-again")
                guard answer.status == 201 else {
                    XCTAssertEqual(answer.status, 409)
                    continue
                }
                XCTAssertEqual(answer.json["previousID"] as? Int, id)
                known[answer.id] = Known(allowed: any)
            default:
                let isGentle = Bool.random(using: &generator)
                server.signal(isGentle ? SIGTERM : SIGKILL)
                try server.end()
                // Runs that had ended stay unchanged. The others are queued or interrupted.
                for id in known.keys where !(known[id]?.allowed.isSubset(of: Self.ends) ?? true) {
                    known[id]?.allowed.insert("interrupted")
                }
                server = try ServerProcess(in: folder, options)
            }
            try check(server, &known, step: step, seed: seed)
        }
    }

    private static let ends: Set<String> = ["succeeded", "failed", "cancelled", "interrupted"]

    private func check(
        _ server: ServerProcess,
        _ known: inout [Int: Known],
        step: Int,
        seed: UInt64
    ) throws {
        let states = try server.states()
        XCTAssertEqual(Set(states.keys), Set(known.keys), "step \(step), seed \(seed)")
        for (id, state) in states {
            let allowed = known[id]?.allowed ?? []
            XCTAssertTrue(allowed.contains(state), "\(id) is \(state), step \(step), seed \(seed)")
            if Self.ends.contains(state) { known[id]?.allowed = [state] }
            if state == "running" { known[id]?.allowed.remove("queued") }
        }
    }
}
