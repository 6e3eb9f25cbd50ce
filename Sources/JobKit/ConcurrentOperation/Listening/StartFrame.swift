import Foundation

/// One call of an operation's `start()` on a thread, and the work to do after it has returned.
///
/// If an operation finishes inside `start()`, user code is below it on the stack. Therefore, the
/// frame stores the resulting work for its creator, which is the worker of a ``TaskQueue`` or
/// `start()` itself.
struct StartFrame {
    /// The operation, or nil if none is being started.
    private(set) var operation: ObjectIdentifier?
    /// How the operation's Swift task begins, if it has one.
    private(set) var taskStart = TaskStart.enqueued
    /// The limited queue whose permit the operation has, as a number, or 0 if there is none.
    ///
    /// Set only if a worker starts the operation.
    private(set) var limitedQueue = 0
    /// Whether the operation ended in this frame.
    ///
    /// If so, the worker releases its permit. Otherwise, the thread that finishes it does.
    var hasEnded = false
    /// The first object that has something to deliver because of this start.
    var delivery: (any CallbackDelivery)?
    /// The waiters for the operation's completion, which are resumed after its permit was released.
    var waiters: [FinishWaiter] = []

    init() {}

    init(_ operation: Operation, limitedQueue: Int = 0, taskStart: TaskStart = .enqueued) {
        self.operation = ObjectIdentifier(operation)
        self.limitedQueue = limitedQueue
        self.taskStart = taskStart
    }

    /// Whether a worker starts the operation and releases its permit when `start()` has returned.
    @inline(__always)
    var isStartedByWorker: Bool { taskStart == .atOnce }

    /// Whether the thread that creates the frame may deliver.
    ///
    /// A thread of Swift's may not, because callbacks may block.
    var mayDeliver: Bool { taskStart == .enqueued || taskStart == .atOnce }

    func isOf(_ operation: Operation) -> Bool { self.operation == ObjectIdentifier(operation) }

    func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
    }

    /// Stores the first object that has something to deliver.
    ///
    /// - Returns: Whether the creator of the frame will deliver to it.
    mutating func take(_ delivery: any CallbackDelivery) -> Bool {
        guard self.delivery == nil, mayDeliver else { return false }
        self.delivery = delivery
        return true
    }
}

extension UnsafeMutablePointer<ThreadContext> {
    /// Starts an operation in its own frame.
    ///
    /// No other method saves and restores a frame.
    ///
    /// - Parameters:
    ///   - frame: The frame of the operation.
    ///   - body: Calls `start()`, or contains the code of `start()`.
    /// - Returns: The frame, with the work that the caller must do now.
    func start(in frame: StartFrame, _ body: () -> Void) -> StartFrame {
        var frame = frame
        swap(&frame, &pointee.frame)
        body()
        swap(&frame, &pointee.frame)
        return frame
    }
}
