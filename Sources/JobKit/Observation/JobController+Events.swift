import Foundation

extension JobController {
    /// Returns the job's events from now on, to read with `for await`.
    ///
    /// ```swift
    /// let events = job.events()
    /// async let run: Void = job.run()
    /// for await event in events { print(event.name, event.kind) }
    /// try await run
    /// ```
    ///
    /// The stream has the events that a ``JobObserver`` would receive if it were added now. Call
    /// this method before the start to receive all of them. The job never waits for the reader. The
    /// stream keeps the newest unread events, and a gap in ``JobEvent/index`` shows how many were
    /// skipped.
    ///
    /// The stream ends after the job's own ``JobEvent/Kind/finished``. The stream of a finished job
    /// is empty. If the job is cancelled before it was queued or started, the stream ends at that
    /// time, because the job may never be started. It also ends if the job is released.
    ///
    /// Unlike an observer, a stream is read after its events have happened, so the step that an
    /// event enables may already have been taken. A stream has one reader. Call this method once
    /// for each reader.
    ///
    /// > Thread: Any. Does not retain the job.
    ///
    /// - Parameter count: How many unread events are kept at most. An event takes about 200 bytes.
    ///   A number below 1 traps.
    /// - Returns: The events, including those of nested jobs.
    public final func events(bufferingNewest count: Int = 1_000) -> AsyncStream<JobEvent> {
        guard count > 0 else {
            fatalError("JobKit: \(label).events(bufferingNewest: \(count)) needs 1 or more.")
        }
        let (stream, continuation) = AsyncStream<JobEvent>
            .makeStream(bufferingPolicy: .bufferingNewest(count))
        let feed = EventFeed(continuation)
        continuation.onTermination = { [weak self, weak feed] termination in
            // If the reader has left, the job need not notify the feed any longer.
            if case .cancelled = termination, let feed { self?.removeObserver(feed) }
        }
        addObserver(feed)
        // The job may never run. Or it has just notified its observers of its finish, before the feed
        // was one of them. Otherwise, that event has already ended the stream.
        add(
            FinishWaiter { [weak self, weak feed] in
                if let self, !self.isInQueue { feed?.end() }
            }
        )
        return stream
    }

    /// Whether the job is in a queue, which will start it.
    private var isInQueue: Bool {
        guard !isFinished else { return false }
        return containingQueue != nil || shell.ask { $0.startQueue } != nil
    }
}

/// The observer that passes a job's events to one stream, in order.
private final class EventFeed: JobObserver {
    private struct State {
        var count = 0
        /// The events to yield, or nil to end the stream.
        var actions = ActionQueue<JobEvent?>()
    }

    private let guarded = Guarded(State())
    private let continuation: AsyncStream<JobEvent>.Continuation

    init(_ continuation: AsyncStream<JobEvent>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }

    func job(_ job: JobController, didRecord event: JobEvent) {
        post(event)
        if event.kind == .finished, event.parentID == nil { end() }
    }

    /// Ends the stream after the events that were recorded before.
    func end() { post(nil) }

    private func post(_ event: JobEvent?) {
        let mustDeliver = guarded.withLock { state in
            defer { state.count += 1 }
            return state.actions.actionsDecided([event?.at(index: state.count)])
        }
        guard mustDeliver else { return }
        while let event = guarded.withLock({ $0.actions.nextAction() }) {
            if let event { continuation.yield(event) } else { continuation.finish() }
        }
    }
}
