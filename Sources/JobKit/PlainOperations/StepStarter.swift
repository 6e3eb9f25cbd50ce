import Foundation

/// Starts operations for `StepQueue`: what they cause is delivered before the start returns.
package enum StepStarter {
    package static func start(_ operation: Operation) {
        let context = ThreadContext.current
        let outer = context.heldDeliveries
        context.heldDeliveries = []
        if operation is ConcurrentOperation {
            operation.start()
        } else {
            _ = context.start(operation) { PlainOperations.start(operation) }
            if !operation.isFinished {
                PlainOperations.startReturned(operation)
            } else if let finish = PlainOperations.close(operation) {
                let delivery = finish.tellJobs()
                finish.endDependents()
                delivery?.deliverAll()
            }
        }
        while let delivery = context.heldDeliveries?.first {
            context.heldDeliveries?.removeFirst()
            delivery.deliverHere()
        }
        context.heldDeliveries = outer
    }
}
