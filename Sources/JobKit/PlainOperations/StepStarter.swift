import Foundation

/// Starts operations for `StepQueue`: what they cause is delivered before the start returns.
package enum StepStarter {
    package static func start(_ operation: Operation) {
        let context = ThreadContext.current
        let outer = context.pointee.heldDeliveries
        context.pointee.heldDeliveries = []
        if operation is ConcurrentOperation {
            operation.start()
        } else {
            _ = context.start(operation) { PlainOperations.start(operation) }
            if !operation.isFinished {
                PlainOperations.startReturned(operation)
            } else if let finish = PlainOperations.close(operation) {
                let delivery = finish.tellJobs()
                _ = finish.endDependents()
                delivery?.deliverAll()
            }
        }
        while let delivery = context.pointee.heldDeliveries?.first {
            context.pointee.heldDeliveries?.removeFirst()
            delivery.deliverHere()
        }
        context.pointee.heldDeliveries = outer
    }
}
