import Foundation

/// One call of an operation's `start()` on a thread, and what is to be done when it has returned.
///
/// A finish inside `start()` has code of the user's below it on the stack. So what it leads to
/// waits in the frame for the one who made it: the worker of a ``TaskQueue``, or `start()` itself.
struct StartFrame {
    /// The operation; nil where none is being started.
    private(set) var operation: ObjectIdentifier?
    /// Whether a worker starts the operation, which gives its permit back when `start()` has
    /// returned.
    private(set) var isStartedByWorker = false
    /// The queue whose permit the operation has, as a number, if a worker starts it and its width
    /// is limited; 0 otherwise.
    private(set) var limitedQueue = 0
    /// Whether the operation came to its end in this frame: then the worker gives its permit back,
    /// and otherwise the thread of the finish.
    var hasEnded = false
    /// The first that has something to deliver because of this start.
    var delivery: (any CallbackDelivery)?
    /// Waiters for the operation's finish, resumed when its permit was given back.
    var waiters: [FinishWaiter]?

    init() {}

    init(_ operation: Operation, isStartedByWorker: Bool = false, limitedQueue: Int = 0) {
        self.operation = ObjectIdentifier(operation)
        self.isStartedByWorker = isStartedByWorker
        self.limitedQueue = limitedQueue
    }

    @inline(__always)
    func isOf(_ operation: Operation) -> Bool { self.operation == ObjectIdentifier(operation) }

    @inline(__always)
    func resumeWaiters() {
        guard let waiters else { return }
        for waiter in waiters { waiter.resume() }
    }
}

extension UnsafeMutablePointer<ThreadContext> {
    /// Starts an operation in a frame of its own; the only place where a frame is saved and
    /// restored.
    ///
    /// - Parameters:
    ///   - frame: The frame of the operation.
    ///   - body: Calls `start()`, or is what `start()` does.
    /// - Returns: The frame, with what the caller has to do now.
    @inline(__always)
    func start(in frame: StartFrame, _ body: () -> Void) -> StartFrame {
        var frame = frame
        swap(&frame, &pointee.frame)
        body()
        swap(&frame, &pointee.frame)
        return frame
    }
}
