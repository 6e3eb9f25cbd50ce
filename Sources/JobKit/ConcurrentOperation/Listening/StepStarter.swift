import Foundation

/// Starts operations for `StepQueue`: what they cause is delivered before the start returns.
package enum StepStarter {
    /// Starts an operation as a step.
    package static func start(_ operation: Operation, on executor: (any TaskExecutor)? = nil) {
        step(on: executor) {
            let frame = StartFrame(operation)
            ThreadContext.current.start(any: operation, in: frame).delivery?.deliverHere()
        }
    }

    /// Does something, and delivers what it caused before this returns.
    ///
    /// - Parameters:
    ///   - executor: Where the Swift tasks go on that operations make meanwhile; nil for Swift's
    ///     own threads, or those of a step around this one.
    ///   - body: What to do.
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
