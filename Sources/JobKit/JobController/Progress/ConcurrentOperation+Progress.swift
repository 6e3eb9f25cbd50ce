import Synchronization

extension ConcurrentOperation {
    /// Reports how much of the work is done, for the progress of the jobs that track the operation.
    ///
    /// The fraction counts within the weight with which the operation is tracked, and its finish
    /// adds the rest. It counts from the time when the `main()` or callback that tracked the
    /// operation has returned. If a job calls this for itself, the reported fraction replaces the
    /// one computed from its tasks. A fraction below an earlier one is ignored, and so is a
    /// fraction that is reported after the finish.
    ///
    /// ```swift
    /// func urlSession(_ session: URLSession, task: URLSessionTask, didSendBodyData sent: Int64,
    ///                 totalBytesSent total: Int64, totalBytesExpectedToSend expected: Int64) {
    ///     upload.reportProgress(Double(total) / Double(expected))
    /// }
    /// ```
    ///
    /// > Thread: Any. If no job was asked for its progress, this takes one lock of the operation.
    ///
    /// - Parameter fraction: From 0 to 1. Other values are clamped; NaN counts as 0.
    public final func reportProgress(_ fraction: Double) {
        let fraction = fraction > 0 ? min(fraction, 1) : 0
        guard !currentLifecycle.contains(.finished), reportedFraction.advance(to: fraction) else {
            return
        }
        JobShell.progressReported(by: self)
    }
}
