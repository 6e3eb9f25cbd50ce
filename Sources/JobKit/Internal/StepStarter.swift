import Foundation

/// Starts operations for `StepQueue`: what they cause is delivered before the start returns.
package enum StepStarter {
    package static func start(_ operation: Operation) {
        let context = ThreadContext.current
        let outerMail = context.heldMail
        context.heldMail = []
        if operation is ConcurrentOperation {
            operation.start()
        } else {
            let outer = context.enter(operation)
            JobEffects.tellStarted(operation)
            operation.start()
            context.starting = outer
            context.foreignMail?.deliverHere()
            context.foreignMail = nil
        }
        while let mail = context.heldMail?.first {
            context.heldMail?.removeFirst()
            mail.deliverHere()
        }
        context.heldMail = outerMail
    }
}
