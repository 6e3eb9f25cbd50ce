/// Work that takes a given processor time, however often its thread is interrupted.
struct ProcessorWork: Sendable {
    /// The processor time of the work.
    let nanoseconds: UInt64

    /// Does the work on the calling thread.
    func perform() {
        let end = ProcessorTime.ofThread + nanoseconds
        while ProcessorTime.ofThread < end {}
    }
}
