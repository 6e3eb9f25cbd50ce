import JobKit
import JobKitTesting

/// Holds the thread that tells one kind of event of an operation, until it is released.
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
