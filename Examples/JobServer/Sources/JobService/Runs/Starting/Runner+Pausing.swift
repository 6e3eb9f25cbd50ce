import JobStore
import Synchronization

extension Runner {
    /// Pauses or resumes the starts of a kind's runs, or of all runs.
    ///
    /// Executing runs continue. A restart changes no pause.
    ///
    /// - Parameters:
    ///   - kind: The kind, or nil for all runs.
    ///   - isPaused: Whether no run starts.
    /// - Throws: ``StoreFailed``, or ``InvalidParameter`` if the kind is unknown.
    func pause(_ kind: Name?, _ isPaused: Bool) async throws {
        if let kind, kinds[kind.text] == nil {
            throw InvalidParameter("kind", "There is no kind of job of this name.")
        }
        let pauses = try await store.pause(kind, isPaused)
        start { state in
            guard pauses.revision > state.pauseRevision else { return [] }
            state.pauseRevision = pauses.revision
            return state.admission.pausesChanged(isPaused: pauses.isPaused, kinds: pauses.kinds)
        }
        hub.queueChanged()
    }
}
