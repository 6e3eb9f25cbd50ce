import JobKit
import Synchronization
import Tracing

/// The spans of one run and of its first tasks.
final class RunSpans: Sendable {
    let context: ServiceContext

    private let tracer: (any Tracer)?
    private let span: any Span
    private let limit: Int
    private let started = Atomic<Int>(0)
    private let running = Mutex<[Int: any Span]>([:])

    init(_ identity: RunIdentity, tracer: any Tracer, limit: Int) {
        // Spans that are never exported are not kept.
        self.tracer = tracer is NoOpTracer ? nil : tracer
        self.limit = limit
        span = tracer.startSpan(identity.kind, ofKind: .internal)
        context = span.context
        span.updateAttributes { attributes in
            attributes["job.kind"] = identity.kind
            attributes["job.attempt"] = identity.attempt
            if let id = identity.id { attributes["job.id"] = id }
        }
    }

    func taskStarted(_ event: JobEvent) {
        guard let tracer, started.load(ordering: .relaxed) < limit,
            started.add(1, ordering: .relaxed).oldValue < limit
        else { return }
        let parent = running.withLock { running in event.parentID.flatMap { running[$0] } }
        let made = tracer.startSpan(
            event.name,
            context: parent?.context ?? context,
            ofKind: .internal
        )
        made.updateAttributes { $0["task.type"] = String(describing: event.type) }
        running.withLock { $0[event.operationID] = made }
    }

    func taskFinished(_ event: JobEvent, _ outcome: OperationOutcome, error: (any Error)?) {
        guard tracer != nil,
            let span = running.withLock({ $0.removeValue(forKey: event.operationID) })
        else { return }
        end(span, outcome.description, error)
    }

    /// Ends the run's span, and the spans of tasks for which the run did not wait.
    func runEnded(_ status: String, error: (any Error)?) {
        let left = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for span in left { end(span, "left", nil) }
        end(span, status, error)
    }

    private func end(_ span: any Span, _ status: String, _ error: (any Error)?) {
        span.updateAttributes { attributes in
            attributes["job.status"] = status
            attributes["job.failed"] = error != nil
        }
        if let error {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}
