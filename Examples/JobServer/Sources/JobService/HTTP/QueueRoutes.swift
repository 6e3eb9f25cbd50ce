import JobStore

/// The routes of the queue, which pause and resume the starts of runs.
struct QueueRoutes: Sendable {
    let runner: Runner

    /// The queue as JSON.
    var json: String {
        let admission = runner.admission
        let counts = admission.queuedCounts
        let kinds = runner.kinds.all.map { kind in
            let name = Name(kind.name)
            return JSONText.object([
                "name": JSONText.quoted(kind.name), "queued": "\(counts[name] ?? 0)",
                "isPaused": "\(admission.isPaused(kind: name))",
            ])
        }
        return JSONText.object([
            "isPaused": "\(admission.isPaused)", "executing": "\(admission.running.count)",
            "queued": "\(admission.queuedCount)", "kinds": JSONText.array(kinds),
        ])
    }

    /// Pauses or resumes the starts of a kind's runs, or of all runs.
    ///
    /// - Parameters:
    ///   - kind: The name of a kind, as in the path, or nil for all runs.
    ///   - isPaused: Whether no run starts.
    /// - Returns: The queue as JSON.
    /// - Throws: ``HTTPProblem`` if there is no such kind, or ``StoreFailed``.
    func pause(_ kind: Name?, _ isPaused: Bool) async throws -> String {
        if let kind, runner.kinds[kind.text] == nil { throw HTTPProblem.unknownPath }
        try await runner.pause(kind, isPaused)
        return json
    }
}
