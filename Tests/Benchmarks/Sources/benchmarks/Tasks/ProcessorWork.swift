/// Work that takes a given time of the processor, however often its thread is interrupted.
struct ProcessorWork: Sendable {
    /// How long the work takes.
    let nanoseconds: UInt64

    /// Does the work on the calling thread.
    func perform() {
        let end = ProcessorTime.ofThread + nanoseconds
        while ProcessorTime.ofThread < end {}
    }
}
