import Dispatch
import JobKit
import NIOCore
import Synchronization

/// The implementation of a kind of work, without its types.
struct RegisteredWork: Sendable {
    /// The outcome of a task, which is written into the job's stream.
    enum End: Sendable {
        case done(ByteBuffer)
        case failed(ByteBuffer)
        case stopped
    }

    /// Runs a task of this kind on a queue.
    let run: @Sendable (ByteBuffer, RemoteContext, RunningTask, TaskQueue) async -> End

    init<Input: Decodable & Sendable, Output: Encodable & Sendable>(
        _ make: @escaping @Sendable (Input, RemoteContext) -> ResultOperation<Output>
    ) {
        run = { body, context, running, queue in
            do {
                let operation = make(try Envelope.value(Input.self, in: body), context)
                guard running.mayStart(operation) else { return .stopped }
                queue.addOperation(operation)
                return .done(try Self.body(of: await operation.value, context))
            } catch is CancellationError {
                return .stopped
            } catch {
                return Self.failed(error, context)
            }
        }
    }

    private static func failed(_ error: any Error, _ context: RemoteContext) -> End {
        let failure = RemoteFailureError(
            type: String(describing: type(of: error)),
            message: String(describing: error),
            worker: context.worker,
            attempt: context.attempt
        )
        do {
            return .failed(try body(of: failure, context))
        } catch let error as TooLargeError {
            return failed(error, context)
        } catch {
            return .failed(ByteBuffer())
        }
    }

    private static func body(of value: some Encodable, _ context: RemoteContext) throws
        -> ByteBuffer
    {
        let body = try Envelope.body(of: value)
        try SizeLimit.check(body, .outcome, of: Name(context.key))
        return body
    }
}

/// The operation of a task that runs or is about to run.
final class RunningTask: Sendable {
    private let state = Mutex<(operation: ConcurrentOperation?, isCancelled: Bool)>((nil, false))

    /// Sets the task's operation.
    ///
    /// - Parameter operation: The operation, which has not been started.
    /// - Returns: Whether it may be started. If not, the task was cancelled.
    func mayStart(_ operation: ConcurrentOperation) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.operation = operation
            return true
        }
    }

    /// Cancels the operation, or prevents its start.
    ///
    /// The worker calls this on its event loop, which must not wait for user code. Therefore, the
    /// operation is cancelled on another thread.
    func cancel() {
        let operation = state.withLock { state in
            let isFirst = !state.isCancelled
            state.isCancelled = true
            return isFirst ? state.operation : nil
        }
        guard let operation else { return }
        // A new serial queue has its own thread.
        DispatchQueue(label: "RemoteJobs.RunningTask").async { operation.cancel() }
    }
}
