/// Why a run cannot be submitted, cancelled or repeated.
enum RunProblem: Error, Equatable {
    /// No run has the number.
    case unknownRun
    /// The run has ended.
    case ended
    /// The run has not ended.
    case notEnded
    /// The queue is full.
    case full
    /// The server stops.
    case stopping
}
