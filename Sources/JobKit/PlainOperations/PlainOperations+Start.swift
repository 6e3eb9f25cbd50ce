import Foundation

extension PlainOperations {
    /// Starts a plain operation, whose finish the caller sees to, in the caller's frame.
    static func start(_ operation: Operation) {
        // Other code may have started it, which Foundation forbids.
        guard !operation.isFinished, !operation.isExecuting else { return }
        for listener in subscribers(of: operation) { listener.operationStarts() }
        startInContext(operation)
    }

    /// Starts a plain operation inside the context of whoever waits for it, if there is one.
    static func startInContext(_ operation: Operation) {
        guard OperationContext.isUsed.load(ordering: .acquiring) else { return operation.start() }
        for listener in subscribers(of: operation) {
            if let context = listener.context { return context.run(operation.start) }
        }
        operation.start()
    }
}
