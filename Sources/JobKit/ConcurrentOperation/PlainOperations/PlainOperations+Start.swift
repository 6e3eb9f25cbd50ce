import Foundation

extension UnsafeMutablePointer<ThreadContext> {
    /// Starts an operation of any class in its own frame.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - frame: The frame of the operation.
    /// - Returns: The frame, with the work that the caller must do now.
    func start(any operation: Operation, in frame: StartFrame) -> StartFrame {
        guard let concurrent = operation.asConcurrent else {
            return startPlain(operation, in: frame)
        }
        let frame = start(in: frame) { concurrent.start() }
        if frame.isStartedByWorker, frame.hasEnded {
            pointee.lastFinished = concurrent.number.load(ordering: .relaxed)
        }
        return frame
    }

    /// Starts a plain operation.
    ///
    /// Nearly all operations finish inside `start()`. In that case, no hook has to watch the
    /// operation.
    private func startPlain(_ operation: Operation, in frame: StartFrame) -> StartFrame {
        var frame = start(in: frame) { PlainOperations.start(operation) }
        if frame.isStartedByWorker { pointee.lastFinished = 0 }
        if !operation.isFinished {
            PlainOperations.startReturned(operation)
        } else if let finish = PlainOperations.close(operation) {
            finish.notify(in: &frame)
        }
        return frame
    }
}

extension PlainOperations {
    /// Starts a plain operation in the caller's frame.
    ///
    /// The caller handles its completion.
    fileprivate static func start(_ operation: Operation) {
        // Other code may have started it, although Foundation forbids this.
        guard !operation.isFinished, !operation.isExecuting else { return }
        let known = withEntry(operation) { ($0.hooks.subscribers.listeners, $0.isBarred) }
        if known?.1 == true { operation.cancel() }
        if operation.isCancelled {
            CancelSweep.waitForBars()
        } else {
            for listener in known?.0 ?? operation.listeners { listener.operationStarts() }
        }
        // No user code runs, so no context is needed.
        if operation.isCancelled, operation.endsWithoutUserCode { return operation.start() }
        startInContext(operation)
    }

    /// Starts a plain operation inside the context of a tracking job, if there is one.
    static func startInContext(_ operation: Operation) {
        guard OperationContext.isUsed.load(ordering: .acquiring),
            let context = operation.firstContext
        else { return operation.start() }
        context.run(operation.start)
    }
}
