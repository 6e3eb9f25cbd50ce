import Foundation
import JobKit
import NIOCore
import Synchronization

// Operation forces @unchecked. The stored properties are constant.
/// A task whose work is done by a worker, in another process and on another host.
///
/// To its job it is a task like any other: it is tracked, cancelled, retried and waited for. When
/// it is started, its input goes to the session's broker; it finishes when the outcome has come
/// back.
///
/// ```swift
/// let task = RemoteOperation<Thumbnail>(input, key: path, in: session)
/// job.trackAndQueue(task) { thumbnail in print(thumbnail) }
/// ```
///
/// It fails with a ``RemoteFailureError`` if the work has failed, with ``UndeliverableError`` if it was
/// given up, with ``InputChangedError``, ``KeyInUseError``, ``TooLargeError``, ``InvalidNameError``, ``BrokerLostError``,
/// ``BrokerRefusedError`` or ``SessionClosedError``.
///
/// It retains its session until it has finished.
///
/// > Thread: It holds no thread while it waits, so its queue may be of any width; one of unlimited
/// > width keeps the workers busy.
public final class RemoteOperation<Work: RemoteWork>: ResultOperation<Work.Output>,
    @unchecked Sendable
{
    /// What the task is known by in its job, over all lives of the controller.
    public let key: String
    /// The worker that was last heard to run the task, and which delivery that was; nil before.
    public var runner: (worker: String, attempt: Int)? {
        latestRunner.withLock { $0.map { ($0.worker, $0.attempt) } }
    }

    /// Who runs the task, as `explainStall` shows it: `on h2, attempt 2 for 3 s`; and what keeps it, if
    /// anything does: a broker that is not there or takes nothing, a work that no worker serves.
    public override var statusNote: String? {
        let runner = latestRunner.withLock { $0 }?.note(at: .now)
        let notes = [runner] + session.loop.notes(of: runner == nil ? route : nil)
        let text = notes.compactMap(\.self).joined(separator: "; ")
        return text.isEmpty ? nil : text
    }

    /// Nothing once it is encoded: a large one is not kept twice.
    private let input: Mutex<Work.Input?>
    private let session: RemoteSession
    private let place: Name?
    private var route: Name { Layout.route(Name(Work.name), at: place) }
    private let latestRunner = Mutex<TaskRunner?>(nil)

    /// Makes a task that has not been started.
    ///
    /// - Parameters:
    ///   - input: What the worker is given.
    ///   - key: What the task is known by in its job; the same in each life of the controller.
    ///   - session: The job's session; it may be opened later.
    ///   - place: Where the task must run: at workers that registered the work for this place. Any
    ///     text of 1 to 100 bytes; with another one the task fails with ``InvalidNameError``.
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

    /// The work's name and the key, unless it is set; made when it is asked for.
    public override var name: String? {
        get { super.name ?? "\(Work.name) \(key)" }
        set { super.name = newValue }
    }

    /// Hands the input to the session.
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

    /// Asks the workers to stop the task; it finishes when they have, or none has it.
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

/// A ``RemoteOperation`` of any work, as its session sees it.
protocol RemoteTask: Operation, Sendable {
    /// Finishes the task; `end` is why the session has ended, if it has.
    func settle(
        _ settlement: JobLedger<SessionLoop.Ticket, ByteBuffer>.Settlement,
        _ end: any Error
    )
    /// Hears who runs the task.
    func started(on worker: String, attempt: Int)
    /// Hears how much of the task is done.
    func progressed(_ fraction: Double)
}
