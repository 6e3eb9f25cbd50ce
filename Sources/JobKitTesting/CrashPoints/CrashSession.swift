import JobJournal
import JobKit

/// Watches one run of a job, and finds a step that runs although its outcome is recorded.
final class CrashSession: JournalWatch {
    private struct State {
        /// The latest recorded version of each step, by the step's path.
        var recordedVersions: [[UInt8]: Int]
        var repeatedStep: String?
    }

    private let state: Guarded<State>

    /// Creates the watcher of a run on a journal that holds these records.
    ///
    /// - Parameter records: The whole records that the cut has left.
    init(knowing records: ArraySlice<JobJournal.OutcomeRecord> = []) {
        let versions = Dictionary(
            records.map { ($0.path, $0.version) },
            uniquingKeysWith: { $1 }
        )
        state = Guarded(State(recordedVersions: versions))
    }

    /// The first step that ran although its outcome was recorded.
    var repeatedStep: String? { state.withLock { $0.repeatedStep } }

    func stepRuns(_ key: String, path: [UInt8], version: Int) {
        state.withLock { state in
            guard state.repeatedStep == nil, state.recordedVersions[path] == version else {
                return
            }
            state.repeatedStep = key
        }
    }

    func stepRecorded(path: [UInt8], version: Int) {
        state.withLock { $0.recordedVersions[path] = version }
    }
}
