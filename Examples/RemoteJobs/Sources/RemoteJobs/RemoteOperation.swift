import Foundation
import JobKit
import NIOCore
import Synchronization

// Operation forces @unchecked. The stored properties are constant.
/// A task that runs in a worker, another process on any host.
///
/// Its job tracks, cancels, retries and waits for it like any other task. When the task starts, its
/// input goes to the session's broker. The task finishes when its outcome has come back.
///
/// ```swift
/// let task = RemoteOperation<Thumbnail>(input, key: path, in: session)
/// job.trackAndQueue(task) { thumbnail in print(thumbnail) }
/// ```
///
/// It fails with a ``RemoteFailureError`` if the work fails, or with an ``UndeliverableError`` if
/// it was abandoned as undeliverable. The other errors are ``InputChangedError``,
/// ``KeyInUseError``, ``TooLargeError``, ``InvalidNameError``, ``BrokerLostError``,
/// ``BrokerRefusedError`` and ``SessionClosedError``.
///
/// It retains its session until it has finished.
///
/// > Thread: It holds no thread while it waits, so its queue may have any concurrency limit. An
/// > unlimited queue keeps the workers busy.
public final class RemoteOperation<Work: RemoteWork>: ResultOperation<Work.Output>,
    @unchecked Sendable
{
    /// The key of the task in its job, the same in all runs of the controller.
    public let key: String
    /// The latest worker that reported the task as running, with the number of that delivery.
    ///
    /// It is nil until a worker has reported.
    public var runner: (worker: String, attempt: Int)? {
        latestRunner.withLock { $0.map { ($0.worker, $0.attempt) } }
    }

    /// The worker of the task, as `explainStall` shows it: `on h2, attempt 2 for 3 s`.
    ///
    /// It also names any obstacle: a broker that is unreachable or accepts no messages, or a kind
    /// of work without a worker.
    public override var statusNote: String? {
        let runner = latestRunner.withLock { $0 }?.note(at: .now)
        let notes = [runner] + session.loop.notes(of: runner == nil ? route : nil)
        let text = notes.compactMap(\.self).joined(separator: "; ")
        return text.isEmpty ? nil : text
    }

    /// The input until it is encoded, then nil, so that a large input is not stored twice.
    private let input: Mutex<Work.Input?>
    private let session: RemoteSession
    private let place: Name?
    private var route: Name { Layout.route(Name(Work.name), at: place) }
    private let latestRunner = Mutex<TaskRunner?>(nil)

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - input: The input of the work.
    ///   - key: The key of the task in its job, the same in all runs of the controller.
    ///   - session: The job's session, which may be opened later.
    ///   - place: The place at which the task must run. It runs at workers that have registered the
    ///     work for this place. Any text of 1 to 100 bytes. For any other text, the task fails with
    ///     ``InvalidNameError``.
    public init(
        _ input: Work.Input,
        key: String,
        in session: RemoteSession,
        at place: String? = nil
    ) {
        precondition(
            BrokerName.isValid(Name(Work.name)) && !Work.name.utf8.contains(UInt8(ascii: ".")),
            "RemoteJobs: a work's name has 1 to 100 bytes and no dot, unlike \(Work.name)"
        )
        self.input = Mutex(input)
        self.key = key
        self.session = session
        self.place = place.map { Name($0) }
        super.init()
    }

    /// The work's name and the key unless a name is set.
    ///
    /// It is computed on demand.
    public override var name: String? {
        get { super.name ?? "\(Work.name) \(key)" }
        set { super.name = newValue }
    }

    /// Passes the input to the session.
    public override func main() {
        do {
            try BrokerName.check(place: place)
            let name = Name(key)
            try BrokerName.check(key: name)
            try SizeLimit.check(key: name)
            let body = try Envelope.body(of: input.withLock { $0.take() })
            try SizeLimit.check(body, .input, of: name)
            session.loop.submit(self, key: name, route: route, body: body)
        } catch {
            finish(with: error)
        }
    }

    /// Asks the workers to stop the task.
    ///
    /// It finishes when they have stopped it, or when no worker has it.
    public override func didCancel() {
        session.loop.cancel(self, TaskName(route: route, key: Name(key)))
    }
}

extension RemoteOperation: RemoteTask {
    func settle(
        _ settlement: JobLedger<SessionLoop.Ticket, ByteBuffer>.Settlement,
        _ end: any Error
    ) {
        switch settlement {
        case .ended(.done(let body)):
            do {
                finish(returning: try Envelope.value(Work.Output.self, in: body))
            } catch {
                finish(with: error)
            }
        case .ended(.failed(let body)):
            do {
                finish(with: try Envelope.value(RemoteFailureError.self, in: body))
            } catch {
                finish(with: error)
            }
        case .ended(.undeliverable(let deliveries, let reason)):
            finish(with: UndeliverableError(key: key, deliveries: deliveries, reason: reason))
        case .ended(.stopped): finish(with: CancellationError())
        case .inputChanged: finish(with: InputChangedError(key: key))
        case .keyInUse: finish(with: KeyInUseError(key: key))
        case .abandoned: finish(with: end)
        }
    }

    func started(on worker: String, attempt: Int) {
        latestRunner.withLock { $0 = TaskRunner(worker: worker, attempt: attempt, since: .now) }
    }

    func progressed(_ fraction: Double) { reportProgress(fraction) }
}

/// A ``RemoteOperation`` of any kind of work, as its session uses it.
protocol RemoteTask: Operation, Sendable {
    /// Finishes the task.
    ///
    /// `end` is the reason why the session has ended, if it has.
    func settle(
        _ settlement: JobLedger<SessionLoop.Ticket, ByteBuffer>.Settlement,
        _ end: any Error
    )
    /// Records the worker that runs the task.
    func started(on worker: String, attempt: Int)
    /// Records the progress of the task.
    func progressed(_ fraction: Double)
}
