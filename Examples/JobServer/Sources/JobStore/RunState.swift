/// Where a run stands.
public enum RunState: String, Sendable, CaseIterable {
    /// It waits for its start.
    case queued
    /// It was started, and has not ended.
    case running
    /// Its job did what it should.
    case succeeded
    /// Its job failed, or could not be made.
    case failed
    /// A person cancelled it.
    case cancelled
    /// The server stopped before it ended.
    case interrupted

    /// Whether nothing comes after it.
    public var isEnd: Bool { self != .queued && self != .running }
}
