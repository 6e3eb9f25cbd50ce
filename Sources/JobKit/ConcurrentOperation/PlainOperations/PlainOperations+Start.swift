import Foundation

extension PlainOperations {
    /// Starts a plain operation, in the caller's frame; the caller carries out its finish.
    static func start(_ operation: Operation) {
        // Other code may have started it, which Foundation forbids.
        guard !operation.isFinished, !operation.isExecuting else { return }
        if !operation.isCancelled {
            for listener in listeners(of: operation) { listener.operationStarts() }
        }
        startInContext(operation)
    }

    /// Starts a plain operation inside the context of a job that waits for it, if there is one.
    static func startInContext(_ operation: Operation) {
        guard OperationContext.isUsed.load(ordering: .acquiring) else { return operation.start() }
        // A job that ends meanwhile has left its context to be found the second time.
        for _ in 0..<2 {
            for listener in listeners(of: operation) {
                if let context = listener.context { return context.run(operation.start) }
            }
        }
        operation.start()
    }
}
