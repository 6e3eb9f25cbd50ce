import Foundation
import JobKit
import JobKitTesting

struct SampleFailure: Error, Equatable {
    var number = 0
}

// Operation forces @unchecked. Everything here is Sendable and constant.
/// Opens a gate in `main()` and is executing until the test finishes it, also when cancelled.
final class ProbeOperation: ConcurrentOperation, @unchecked Sendable {
    let mains = Tally()
    let cancels = Tally()
    let began = Gate()
    let toldOfCancel = Gate()
    private let stopsAtCancel: Bool

    init(name: String? = nil, stopsAtCancel: Bool = false) {
        self.stopsAtCancel = stopsAtCancel
        super.init()
        self.name = name
    }

    override func main() {
        mains.add()
        began.open()
    }

    override func didCancel() {
        cancels.add()
        toldOfCancel.open()
        if stopsAtCancel { finish() }
    }
}

// Operation forces @unchecked. The closures are constants.
/// Calls closures in `main()` and `didCancel()`, which finish it or do not.
final class ScriptedOperation: ConcurrentOperation, @unchecked Sendable {
    private let onMain: @Sendable (ScriptedOperation) -> Void
    private let onCancel: @Sendable (ScriptedOperation) -> Void

    init(
        onCancel: @escaping @Sendable (ScriptedOperation) -> Void = { $0.finish() },
        onMain: @escaping @Sendable (ScriptedOperation) -> Void
    ) {
        self.onMain = onMain
        self.onCancel = onCancel
    }

    override func main() { onMain(self) }

    override func didCancel() { onCancel(self) }
}

// Operation forces @unchecked; there is no state of its own.
/// A result operation that is executing until the test finishes it.
final class HeldResultOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable {
    override func main() {}
}
