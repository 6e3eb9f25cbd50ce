import Foundation

/// Starts operations for `StepQueue`, and delivers everything they cause before the start returns.
package enum StepStarter {
    /// Starts an operation as a step.
    package static func start(_ operation: Operation, on executor: (any TaskExecutor)? = nil) {
        step(on: executor) {
            let frame = StartFrame(operation)
            ThreadContext.current.start(any: operation, in: frame).delivery?.deliverHere()
        }
    }

    /// Calls `body`, and delivers everything that it caused before this returns.
    ///
    /// - Parameters:
    ///   - executor: The executor of Swift tasks that operations create in the meantime. If it is
    ///     nil, the executor of an enclosing step or Swift's own threads run them.
    ///   - body: The code to run.
    package static func step(on executor: (any TaskExecutor)? = nil, _ body: () -> Void) {
        let context = ThreadContext.current
        let outer = (context.pointee.heldDeliveries, context.pointee.taskExecutor)
        context.pointee.heldDeliveries = []
        context.pointee.taskExecutor = executor ?? outer.1
        body()
        while let delivery = context.pointee.heldDeliveries?.first {
            context.pointee.heldDeliveries?.removeFirst()
            delivery.deliverHere()
        }
        (context.pointee.heldDeliveries, context.pointee.taskExecutor) = outer
    }
}
