extension JobController {
    /// What happens to the job's tasks from now on, to be read with `for await`.
    ///
    /// ```swift
    /// let events = job.events()
    /// async let run: Void = job.run()
    /// for await element in events {
    ///     switch element {
    ///     case .event(let event): print(event.name, event.kind)
    ///     case .omitted(let count): print(count, "events not shown")
    ///     }
    /// }
    /// try await run
    /// ```
    ///
    /// The events are those that a ``JobObserver`` added now would be told of; call this before the
    /// start to have all of them. Reading them delays the job by nothing: a reader that is slow
    /// misses events, and is told how many. A job that is never asked for events pays nothing; when
    /// the last ``JobEvents`` and the last iterator are gone, the job keeps no events, and pays for
    /// an observer that does nothing.
    ///
    /// > Thread: Any. Does not retain the job.
    ///
    /// - Parameter limit: How many unread events are kept at most, the newest; an event takes about
    ///   200 bytes. With 0 or less, events are only counted.
    /// - Returns: The events, which end when the job has finished.
    public final func events(limit: Int = 1_000) -> JobEvents {
        let id = eventNumber
        let known = shell.ask { state in
            state.observers.entries.first { $0.rootID == id && $0.observer is JobEventsFeed }
        }
        // Two threads that ask first at once get a feed each.
        let feed = known?.observer as? JobEventsFeed ?? JobEventsFeed()
        // Listens before the feed receives anything.
        let listener = JobEventsListener(to: feed.shell, limit: limit)
        feed.connect(to: self)
        return JobEvents(listener: listener)
    }
}

/// The events of a job and of its nested jobs, as an asynchronous sequence limited in memory.
///
/// ``JobController/events(limit:)`` makes it, and keeps the newest events for it from then on. Each
/// iterator begins with the oldest of them, and goes its own way: any number may read at once, and
/// come and go at any time. An iterator that is further behind than the limit is told first how
/// many events it has missed.
///
/// The sequence ends after the job's own ``JobEvent/Kind/finished``, when the job is released
/// without having been started, and when it is cancelled before its start, because it may never be
/// started then. An iterator ends at once when its task is cancelled.
///
/// Events of one operation come in order, those of different operations in the order in which they
/// were recorded. Where some are omitted the rest does not add up; a ``JobSnapshot`` says how the
/// job stands.
///
/// > Thread: Any. An event is read after it has happened, unlike with a ``JobObserver``: the step
/// > that it enables may have been taken.
public struct JobEvents: AsyncSequence, Sendable {
    /// What an iterator reads.
    public enum Element: Sendable {
        /// Something has happened.
        case event(JobEvent)
        /// So many events, one or more, came here and are not kept any more.
        case omitted(Int)
    }

    /// The sequence throws nothing.
    public typealias Failure = Never

    let listener: JobEventsListener

    /// Makes an iterator, which begins with the oldest event that is kept.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: listener) }

    /// Reads the events one by one, at its own pace.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let listener: JobEventsListener
        /// The number of the next event.
        private var position: Int

        init(listener: JobEventsListener) {
            self.listener = listener
            position = listener.start
        }

        /// Waits for the next event.
        ///
        /// - Parameter actor: Where the caller is, and goes on.
        /// - Returns: The event, or how many are omitted; nil when the job has ended and all is
        ///   read, or as soon as the calling task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                switch listener.next(&position) {
                case .event(let event): return .event(event)
                case .omitted(let count): return .omitted(count)
                case .end: return nil
                case .wait(let wait): await listener.wait(wait, beyond: position)
                }
            }
            return nil
        }

        /// Waits for the next event, on no actor.
        public mutating func next() async -> Element? { await next(isolation: nil) }
    }
}
