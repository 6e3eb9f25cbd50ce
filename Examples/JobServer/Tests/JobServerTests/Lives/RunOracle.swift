/// Collects all answers about the runs of one database, and detects contradictions.
///
/// A life is the session of one server process. A request without an answer may have been carried
/// out or not. The answer of a request must not contradict anything that was known before the
/// request was sent.
struct RunOracle: Sendable {
    /// The facts that the answer to the next request must not contradict.
    struct Known: Sendable {
        fileprivate let end: String?
        fileprivate let hasBegun: Bool
        fileprivate let isDeleted: Bool
    }

    private struct Run: Sendable {
        var isExplained = false
        var end: String?
        /// The session that reported the end first.
        var endLife = 0
        var begunInLife: Int?
        var hasLoggedStart = false
        /// Whether `--resume` repeats it.
        var isRepeatable = false
        var isCancelPromised = false
        var isDeleted = false
        /// Deletions that were sent, and neither confirmed nor refused.
        var deletionsSent = 0
        /// How often a repetition was requested, without refusals.
        var repeatsSent = 0
        var repeats: Set<Int> = []
        var isResumed = false
        /// How many previous runs in a row ended with their processes.
        var crashes = 0
        var history: [String] = []

        var mayBeDeleted: Bool { isDeleted || deletionsSent > 0 }
    }

    private struct Submission: Sendable {
        let hasKey: Bool
        let isRepeatable: Bool
        var sent = 0
        var ids: Set<Int> = []
    }

    /// The number of starts that end with the process, after which `--resume` stops.
    let attempts: Int
    private(set) var violations: [String] = []
    private var life = 0
    private var runs: [Int: Run] = [:]
    private var submissions: [Int: Submission] = [:]

    init(attempts: Int) {
        self.attempts = attempts
    }

    /// The known runs that were not deleted.
    var ids: [Int] { runs.keys.filter { !runs[$0, default: Run()].isDeleted }.sorted() }
    /// The submissions with a key that were never answered.
    var unansweredKeys: [Int] {
        submissions.filter { $0.value.hasKey && $0.value.ids.isEmpty }.keys.sorted()
    }
    /// The runs with a known origin.
    var explainedIDs: [Int] { runs.filter(\.value.isExplained).map(\.key) }
    /// The number of known ends.
    var endCount: Int { runs.values.count { $0.end != nil } }

    func known(of id: Int) -> Known {
        let run = runs[id]
        return Known(
            end: run?.end,
            hasBegun: run?.begunInLife != nil,
            isDeleted: run?.isDeleted ?? false
        )
    }

    func isEnded(_ id: Int) -> Bool { runs[id]?.end != nil }

    // MARK: - Answers

    /// Records that a new server process is serving, and the previous one is gone.
    mutating func lifeBegan() { life += 1 }

    /// Records a submission before it is sent.
    ///
    /// Its tag is in the parameters.
    mutating func submissionSent(_ tag: Int, hasKey: Bool, isRepeatable: Bool) {
        submissions[tag, default: Submission(hasKey: hasKey, isRepeatable: isRepeatable)].sent += 1
    }

    mutating func submissionRefused(_ tag: Int) { submissions[tag]?.sent -= 1 }

    /// Records the answer 201, or 200 for a run that has the key.
    mutating func submitted(_ tag: Int, as id: Int, isNew: Bool) {
        note(id, isNew ? "201" : "200 for its key")
        let isKnown = runs[id]?.isExplained == true
        if isKnown, isNew || submissions[tag]?.ids.contains(id) != true {
            // The answer to a concurrent submission with the same key may have arrived first.
            guard isNew, submissions[tag]?.hasKey == true,
                submissions[tag]?.ids.contains(id) == true
            else { return fail(id, "its number was given away twice") }
        }
        runs[id]?.isExplained = true
        runs[id]?.isRepeatable = submissions[tag]?.isRepeatable ?? false
        submissions[tag]?.ids.insert(id)
    }

    mutating func repeatSent(_ id: Int) { runs[id]?.repeatsSent += 1 }
    mutating func repeatRefused(_ id: Int) { runs[id]?.repeatsSent -= 1 }

    /// Records the answer 201 to a repetition.
    mutating func repeated(_ id: Int, as new: Int) {
        if runs[new]?.isExplained == true { fail(new, "its number was given away twice") }
        note(new, "201 in the place of \(id)")
        runs[new]?.isExplained = true
        let isRepeatable = runs[id]?.isRepeatable ?? false
        runs[new]?.isRepeatable = isRepeatable
        runs[id]?.repeats.insert(new)
    }

    /// Records the answer 202 to a cancellation, which is a promise if the server could save it.
    mutating func cancelled(_ id: Int, isPromised: Bool, bound known: Known) {
        note(id, isPromised ? "cancel promised" : "cancel taken")
        if known.end != nil { fail(id, "could be cancelled although it had ended") }
        if isPromised { runs[id]?.isCancelPromised = true }
    }

    mutating func deletionSent(_ id: Int) { runs[id]?.deletionsSent += 1 }
    mutating func deletionRefused(_ id: Int) { runs[id]?.deletionsSent -= 1 }

    mutating func deleted(_ id: Int) {
        note(id, "deleted")
        runs[id]?.isDeleted = true
    }

    /// Records the answer that no run has this number.
    mutating func missed(_ id: Int) {
        if runs[id]?.mayBeDeleted != true { fail(id, "is lost: 404") }
    }

    /// Records a state of a run from an answer.
    mutating func told(_ run: RunSighting, by source: String, bound known: Known) {
        note(run.id, "\(run.state) (\(source))")
        if known.isDeleted { fail(run.id, "is told of although it was deleted") }
        if let end = known.end, end != run.state {
            fail(run.id, "had ended as \(end), and is told to be \(run.state)")
        }
        if known.hasBegun, run.state == "queued" { fail(run.id, "waits again") }
        if let time = run.runAt, let start = run.startedAt, start < time {
            fail(run.id, "started before its time")
        }
        accept(run)
    }

    /// Records all events of a stream, in order.
    mutating func heard(_ events: [RunSighting]) {
        var ranks: [Int: Int] = [:]
        for run in events {
            let rank = run.isEnd ? 2 : run.state == "running" ? 1 : 0
            if rank < ranks[run.id, default: 0] { fail(run.id, "goes back to \(run.state)") }
            if rank > ranks[run.id, default: -1] { note(run.id, "\(run.state) (event)") }
            ranks[run.id] = rank
            accept(run)
        }
    }

    /// Records the log lines of a session.
    mutating func logged(_ lines: [Substring]) {
        for line in lines {
            guard let id = Self.value("job.id", in: line).flatMap({ Int($0) }) else { continue }
            if line.contains(": Job started ") {
                note(id, "started (log)")
                if runs[id]?.hasLoggedStart == true { fail(id, "was run twice") }
                if runs[id]?.end != nil, let endLife = runs[id]?.endLife, endLife < life {
                    fail(id, "was run after its end")
                }
                runs[id]?.hasLoggedStart = true
                if runs[id]?.begunInLife == nil { runs[id]?.begunInLife = life }
            } else if line.contains(": Job ended "), let end = Self.value("job.status", in: line) {
                note(id, "\(end) (log)")
                accept(RunSighting(id: id, state: String(end)))
            }
        }
    }

    private static func value(_ key: String, in line: Substring) -> Substring? {
        line.split(separator: " ").first { $0.hasPrefix(key + "=") }?.dropFirst(key.count + 1)
    }

    private mutating func accept(_ run: RunSighting) {
        if runs[run.id] == nil { runs[run.id] = Run() }
        if run.state == "running" || run.startedAt != nil, runs[run.id]?.begunInLife == nil {
            runs[run.id]?.begunInLife = life
        }
        guard run.isEnd else { return }
        if let end = runs[run.id]?.end {
            if end != run.state { fail(run.id, "has ended as \(end) and as \(run.state)") }
        } else {
            runs[run.id]?.end = run.state
            runs[run.id]?.endLife = life
        }
    }

    // MARK: - The whole list

    /// Checks the list of all runs in the database, after a start or when no run is executing.
    ///
    /// - Parameters:
    ///   - list: The runs, in any order.
    ///   - tags: The tags of the unknown runs without a predecessor.
    ///   - isAfterKill: Whether the previous process was killed.
    mutating func listed(_ list: [RunSighting], tags: [Int: Int], isAfterKill: Bool) {
        let present = Set(list.map(\.id))
        let endedBefore = Set(runs.filter { $0.value.end != nil }.keys)
        for (id, run) in runs {
            if !present.contains(id), !run.mayBeDeleted { fail(id, "is lost") }
            if present.contains(id), run.isDeleted { fail(id, "was deleted, and is there") }
        }
        for run in list.sorted(by: { $0.id < $1.id }) {
            let begun = runs[run.id]?.begunInLife
            told(run, by: "list", bound: known(of: run.id))
            if runs[run.id]?.isExplained == false { explain(run, tags[run.id], endedBefore) }
            guard isAfterKill, !run.isEnd else { continue }
            if let begun, begun < life { fail(run.id, "is \(run.state) after its process") }
            if runs[run.id]?.isCancelPromised == true {
                fail(run.id, "is \(run.state) although it was cancelled")
            }
        }
        guard isAfterKill else { return }
        for run in list where run.state == "interrupted" && !endedBefore.contains(run.id) {
            // A run after too many crashes contains an explanation.
            guard let known = runs[run.id], known.isRepeatable, !known.isResumed,
                run.cancelRequestedAt == nil, run.error == nil
            else { continue }
            fail(run.id, "was interrupted and not resumed")
        }
        for (tag, submission) in submissions where submission.hasKey {
            for id in submission.ids.sorted().dropLast() {
                guard let end = runs[id]?.end, end == "failed" || end == "cancelled" else {
                    fail(id, "has its key, and another run of \(tag) has it")
                    continue
                }
            }
        }
    }

    /// Determines the origin of a run that no answer contained.
    private mutating func explain(_ run: RunSighting, _ tag: Int?, _ endedBefore: Set<Int>) {
        runs[run.id]?.isExplained = true
        if let tag {
            note(run.id, "found by its tag \(tag)")
            submissions[tag]?.ids.insert(run.id)
            runs[run.id]?.isRepeatable = submissions[tag]?.isRepeatable ?? false
            let (count, sent) = (submissions[tag]?.ids.count ?? 0, submissions[tag]?.sent ?? 0)
            if count > sent || submissions[tag] == nil { fail(run.id, "was not asked for") }
            return
        }
        guard let previous = run.previousID, let before = runs[previous] else {
            return fail(run.id, "is of unknown origin")
        }
        note(run.id, "found in the place of \(previous)")
        runs[run.id]?.isRepeatable = before.isRepeatable
        let mayResume =
            before.isRepeatable && before.end == "interrupted" && !before.isResumed
            && !endedBefore.contains(previous) && !before.isCancelPromised
        if mayResume {
            runs[previous]?.isResumed = true
            runs[run.id]?.crashes = before.crashes + 1
            if before.crashes + 1 >= attempts { fail(run.id, "was resumed once too often") }
        } else if before.repeats.count < before.repeatsSent {
            runs[previous]?.repeats.insert(run.id)
        } else {
            let end = before.end ?? "nothing yet"
            fail(run.id, "runs in the place of \(previous), which had ended as \(end)")
        }
    }

    // MARK: - Notes

    mutating func note(_ id: Int, _ what: String) {
        runs[id, default: Run()].history.append("\(life): \(what)")
    }

    mutating func fail(_ id: Int, _ what: String) {
        let history = runs[id]?.history.joined(separator: "; ") ?? ""
        violations.append("Run \(id) \(what). Life: \(life). It was told: \(history)")
    }

    /// Records an answer that a server must never give.
    mutating func fail(_ what: String) { violations.append("Life \(life): \(what)") }
}
