import Foundation
import Synchronization

/// What threads did and when, noted by the tasks themselves.
///
/// A note takes about half a microsecond: two clocks and an atomic addition.
final class CoreLog: Sendable {
    /// What a thread does from a note on.
    enum Doing: Sendable {
        /// The job's `main()`, or the loop that adds the operations.
        case adding
        /// A task's own work.
        case working
        /// A task's closure or completion.
        case completing
        /// The queue's code, or nothing: the thread may have gone to sleep.
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
    /// Each written by the one thread that has taken its number.
    nonisolated(unsafe) private let buffer: UnsafeMutableBufferPointer<Note>

    /// Has room for so many notes.
    init(capacity: Int) {
        self.capacity = capacity
        buffer = .allocate(capacity: capacity)
        // Touched now, so that no page is missing later.
        buffer.initialize(repeating: Note(thread: 0, doing: .between, time: 0, used: 0))
    }

    deinit { buffer.deallocate() }

    /// Notes what the calling thread does from now on.
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

    /// Does something and notes when it begins and ends.
    func noting(_ doing: Doing, _ body: () -> Void) {
        note(doing)
        body()
        note(.between)
    }

    /// The notes of all threads, to be read when none is written any more.
    var notes: [Note] { Array(buffer.prefix(count.load(ordering: .acquiring))) }
}
