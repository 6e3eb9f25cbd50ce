import Foundation
import Synchronization

/// Records the activity of threads, as reported by the tasks themselves.
///
/// A note takes about half a microsecond, because it reads two clocks and increments an atomic.
final class CoreLog: Sendable {
    /// The activity of a thread from one note until its next.
    enum Doing: Sendable {
        /// The job's `main()`, or the loop that adds the operations.
        case adding
        /// A task's own work.
        case working
        /// A task's closure or completion.
        case completing
        /// The queue's code, or nothing, because the thread may be asleep.
        case between
    }

    /// A note.
    struct Note: Sendable {
        let thread: UInt
        let doing: Doing
        /// Nanoseconds of the continuous clock.
        let time: UInt64
        /// The processor time that the thread had used, in nanoseconds.
        let used: UInt64
    }

    private let count = Atomic<Int>(0)
    private let capacity: Int
    /// Each element is written only by the thread that has taken its index.
    nonisolated(unsafe) private let buffer: UnsafeMutableBufferPointer<Note>

    /// Reserves space for `capacity` notes.
    init(capacity: Int) {
        self.capacity = capacity
        buffer = .allocate(capacity: capacity)
        // Initializes all pages now, so that no page fault occurs later.
        buffer.initialize(repeating: Note(thread: 0, doing: .between, time: 0, used: 0))
    }

    deinit { buffer.deallocate() }

    /// Records the activity that the calling thread begins now.
    func note(_ doing: Doing) {
        let index = count.add(1, ordering: .relaxed).oldValue
        precondition(index < capacity, "more notes than expected")
        buffer[index] = Note(
            thread: Self.thread,
            doing: doing,
            time: DispatchTime.now().uptimeNanoseconds,
            used: ProcessorTime.ofThread
        )
    }

    private static var thread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// Runs `body`, and records when it begins and ends.
    func noting(_ doing: Doing, _ body: () -> Void) {
        note(doing)
        body()
        note(.between)
    }

    /// The notes of all threads.
    ///
    /// Read them only after the last one was written.
    var notes: [Note] { Array(buffer.prefix(count.load(ordering: .acquiring))) }
}
