import JobKit
import JobKitTesting

/// Blocks the thread that reports one kind of event of an operation, until it is released.
final class HoldingObserver: JobObserver {
    let (entered, release) = (Gate(), Gate())
    private let kind: JobEvent.Kind
    private let name: String

    init(_ kind: JobEvent.Kind, of name: String) { (self.kind, self.name) = (kind, name) }

    func job(_ job: JobController, didRecord event: JobEvent) {
        guard event.kind == kind, event.name == name else { return }
        entered.open()
        release.wait()
    }
}
