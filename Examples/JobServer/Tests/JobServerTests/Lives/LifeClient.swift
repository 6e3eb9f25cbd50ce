import Foundation
import Synchronization

/// A client that sends random requests by its seed and reports the answers to the oracle.
struct LifeClient {
    /// Folders that may be searched.
    struct Folders: Sendable {
        /// Searched within a moment.
        let small: String
        /// Searched for longer than a test.
        let endless: String
    }

    let server: ServerProcess
    let witness: LifeWitness
    let folders: Folders
    /// Returns a unique number for each submission.
    let nextTag: @Sendable () -> Int
    var generator: SplitMix

    /// Sends requests until the server is gone or the clients must stop.
    mutating func run() {
        for _ in 0..<40 where !witness.isOver.load(ordering: .relaxed) {
            do {
                try act()
            } catch {
                // The request may stay unanswered.
                guard !witness.isDoomed.load(ordering: .sequentiallyConsistent) else { return }
                return witness.send { $0.fail("A living server did not answer: \(error)") }
            }
            usleep(UInt32.random(in: 0..<15_000, using: &generator))
        }
    }

    private mutating func act() throws {
        let id = witness.send { $0.ids }.suffix(40).randomElement(using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<40: try submit()
        case 40..<60: try id.map { try cancel($0) }
        case 60..<70: try id.map { try runAgain($0) }
        case 70..<76: try id.map { try delete($0) }
        case 76..<80: try id.map { try prioritize($0) }
        case 80..<86: try repeatUnansweredKey()
        default: try id.map { try look($0) }
        }
    }

    // MARK: - Submitting

    private mutating func submit() throws {
        let tag = nextTag()
        let hasKey = generator.happens(25)
        if generator.happens(25) {
            let folder = generator.happens(15) ? folders.endless : folders.small
            let parameters = "{\"folder\":\"\(folder)\",\"minimumSize\":\(tag)}"
            return try send(tag, "find-duplicates", parameters, hasKey: false, isRepeatable: true)
        }
        if hasKey { return try submitWithKey(tag) }
        let short = [0, 1, 20, 100].randomElement(using: &generator) ?? 0
        let milliseconds = generator.happens(8) ? 3_600_000 : short
        let fails = generator.happens(15) ? ",\"fails\":1" : ""
        let parameters =
            "{\"count\":\(Int.random(in: 1...3, using: &generator)),\"milliseconds\":\(milliseconds)"
            + ",\"width\":\(tag)\(fails)}"
        try send(tag, "steps", parameters, hasKey: false, isRepeatable: false)
    }

    /// The parameters are the same for the same tag, because a key belongs to one submission.
    private mutating func submitWithKey(_ tag: Int) throws {
        let parameters = "{\"count\":1,\"milliseconds\":\(tag % 7 * 10),\"width\":\(tag)}"
        try send(tag, "steps", parameters, hasKey: true, isRepeatable: false)
    }

    private mutating func repeatUnansweredKey() throws {
        guard let tag = witness.send({ $0.unansweredKeys }).randomElement(using: &generator) else {
            return
        }
        try submitWithKey(tag)
    }

    private mutating func send(
        _ tag: Int,
        _ kind: String,
        _ parameters: String,
        hasKey: Bool,
        isRepeatable: Bool
    ) throws {
        var body = "{\"kind\":\"\(kind)\",\"parameters\":\(parameters)"
        if hasKey { body += ",\"key\":\"k\(tag)\"" }
        if !hasKey, generator.happens(10) {
            let time = Int(Date.now.timeIntervalSince1970 * 1_000) + 200
            body += ",\"runAt\":\(time)"
        }
        if generator.happens(20) {
            body += ",\"priority\":\(Int.random(in: -5...5, using: &generator))"
        }
        witness.send { $0.submissionSent(tag, hasKey: hasKey, isRepeatable: isRepeatable) }
        let answer = try server.post("/jobs", body + "}")
        switch answer.status {
        case 201: witness.send { $0.submitted(tag, as: answer.id, isNew: true) }
        case 200 where hasKey: witness.send { $0.submitted(tag, as: answer.id, isNew: false) }
        default:
            refused(answer, "a submission")
            witness.send { $0.submissionRefused(tag) }
        }
    }

    // MARK: - Other requests

    private func cancel(_ id: Int) throws {
        let known = witness.send { $0.known(of: id) }
        let answer = try server.post("/jobs/\(id)/cancel")
        // Read after the answer, because trouble that began before it is an excuse.
        let isPromised = witness.isHealthy.load(ordering: .sequentiallyConsistent)
        switch answer.status {
        case 202:
            witness.send { $0.cancelled(id, isPromised: isPromised, bound: known) }
            let run = RunSighting(answer.json)
            witness.send { $0.told(run, by: "cancel", bound: known) }
        case 404: witness.send { $0.missed(id) }
        case 409: try look(id, expecting: RunSighting.ends)
        default: refused(answer, "a cancel of \(id)")
        }
    }

    private func runAgain(_ id: Int) throws {
        witness.send { $0.repeatSent(id) }
        let answer = try server.post("/jobs/\(id)/run-again")
        guard answer.status != 201 else {
            return witness.send { $0.repeated(id, as: answer.id) }
        }
        witness.send { $0.repeatRefused(id) }
        refuseOrMiss(id, answer, "a repetition of \(id)")
    }

    private func delete(_ id: Int) throws {
        witness.send { $0.deletionSent(id) }
        let header = "Content-Type: application/json"
        let answer = try server.request("DELETE", "/jobs/\(id)", [header])
        guard answer.status != 204 else { return witness.send { $0.deleted(id) } }
        witness.send { $0.deletionRefused(id) }
        refuseOrMiss(id, answer, "a deletion of \(id)")
    }

    private func prioritize(_ id: Int) throws {
        let answer = try server.post("/jobs/\(id)/prioritize", "{\"priority\":7}")
        guard answer.status != 202 else { return }
        refuseOrMiss(id, answer, "a priority of \(id)")
    }

    private func look(_ id: Int, expecting states: Set<String>? = nil) throws {
        let known = witness.send { $0.known(of: id) }
        let answer = try server.get("/jobs/\(id)")
        guard answer.status == 200 else {
            return refuseOrMiss(id, answer, "a look at \(id)")
        }
        let run = RunSighting(answer.json)
        witness.send { oracle in
            oracle.told(run, by: "detail", bound: known)
            if let states, !states.contains(run.state) {
                oracle.fail(id, "cannot be cancelled, and is \(run.state)")
            }
        }
    }

    private func refuseOrMiss(_ id: Int, _ answer: Answer, _ what: String) {
        switch answer.status {
        case 404: witness.send { $0.missed(id) }
        case 409: break
        default: refused(answer, what)
        }
    }

    /// Only a server that cannot write or is stopping may refuse a valid request.
    private func refused(_ answer: Answer, _ what: String) {
        let isHealthy = witness.isHealthy.load(ordering: .sequentiallyConsistent)
        guard isHealthy || answer.status != 503 else { return }
        let text = answer.text
        witness.send { $0.fail("\(what) got \(answer.status): \(text)") }
    }
}
