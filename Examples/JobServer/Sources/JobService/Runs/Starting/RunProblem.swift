/// The reason why a run cannot be submitted, cancelled or repeated.
enum RunProblem: Error, Equatable {
    /// No run has this number.
    case unknownRun
    /// The run has ended.
    case ended
    /// The run has not ended.
    case notEnded
    /// The run is no longer waiting.
    case notQueued
    /// The given other run has the key with other parameters.
    case keyInUse(Int64)
    /// The given run follows it and has not ended.
    case followed(by: Int64)
    /// The queue is full.
    case full
    /// The server is stopping.
    case stopping
}
