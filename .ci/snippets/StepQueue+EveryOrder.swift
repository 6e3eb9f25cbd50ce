import JobKit
import JobKitTesting

final class Import: JobController, @unchecked Sendable {
    init(queue: StepQueue) { super.init(queue: queue) }
}
