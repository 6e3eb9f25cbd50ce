/// Why a run cannot be submitted, cancelled or repeated.
enum RunProblem: Error, Equatable {
    /// No run has the number.
    case unknownRun
    /// The run has ended.
    case ended
    /// The run has not ended.
    case notEnded
    /// The run does not wait any more.
    case notQueued
    /// Another run with other parameters has the key.
    case keyInUse(Int64)
    /// Another run that follows it has not ended, which is this one.
    case followed(by: Int64)
    /// The queue is full.
    case full
    /// The server stops.
    case stopping
}
