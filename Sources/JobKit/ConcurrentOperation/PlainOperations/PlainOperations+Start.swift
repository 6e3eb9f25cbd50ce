import Foundation

extension UnsafeMutablePointer<ThreadContext> {
    /// Starts an operation of either kind in a frame of its own.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - frame: The frame of the operation.
    ///   - isDue: Whether it is still the operation's turn. Asked if nothing has told of a change
    ///     of its priority.
    /// - Returns: The frame, with what the caller has to do now; an empty one if the operation is
    ///   not due. Not an optional, which would be copied.
    @inline(__always)
    func start(
        any operation: Operation,
        in frame: StartFrame,
        isDue: () -> Bool = { true }
    ) -> StartFrame {
        guard operation is ConcurrentOperation else {
            return isDue() ? startPlain(operation, in: frame) : StartFrame()
        }
        // Not `as?`, which counts references.
        let concurrent = unsafeDowncast(operation, to: ConcurrentOperation.self)
        let frame = start(in: frame) { concurrent.start() }
        if frame.isStartedByWorker, frame.hasEnded {
            pointee.lastFinished = concurrent.number.load(ordering: .relaxed)
        }
        return frame
    }

    /// Starts a plain operation.
    ///
    /// Where it finishes inside `start()`, as nearly all do, its finish need not be watched for.
    private func startPlain(_ operation: Operation, in frame: StartFrame) -> StartFrame {
        var frame = start(in: frame) { PlainOperations.start(operation) }
        if frame.isStartedByWorker { pointee.lastFinished = 0 }
        if !operation.isFinished {
            PlainOperations.startReturned(operation)
        } else if let finish = PlainOperations.close(operation) {
            finish.tellListeners(in: &frame)
            finish.endDependents()
            frame.hasEnded = true
        }
        return frame
    }
}

extension PlainOperations {
    /// Starts a plain operation, in the caller's frame; the caller carries out its finish.
    fileprivate static func start(_ operation: Operation) {
        // Other code may have started it, which Foundation forbids.
        guard !operation.isFinished, !operation.isExecuting else { return }
        let known = withKnown(operation) { ($0.audience.listeners, $0.isBarred) }
        if known?.1 == true { operation.cancel() }
        if !operation.isCancelled {
            for listener in known?.0 ?? operation.listeners { listener.operationStarts() }
        }
        // No code of the user's runs, so neither does a context.
        if operation.isCancelled, operation.endsWithoutUserCode { return operation.start() }
        startInContext(operation)
    }

    /// Starts a plain operation inside the context of a job that waits for it, if there is one.
    static func startInContext(_ operation: Operation) {
        guard OperationContext.isUsed.load(ordering: .acquiring),
            let context = operation.firstContext
        else { return operation.start() }
        context.run(operation.start)
    }
}
