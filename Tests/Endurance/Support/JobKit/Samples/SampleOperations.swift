import Foundation
import JobKit
import JobKitTesting

/// The error with which samples fail.
struct SampleError: Error, Equatable {
    let text: String
    let number: Int

    init(_ text: String = "", number: Int = 0) {
        self.text = text
        self.number = number
    }
}

// Operation forces @unchecked. Everything here is Sendable and constant.
/// Executes until a test finishes it, or until it is cancelled.
final class HeldOperation: ConcurrentOperation, @unchecked Sendable {
    let mains = Tally()
    let cancels = Tally()
    let began = Gate()
    let told = Gate()
    private let stopsWhenCancelled: Bool

    init(_ name: String? = nil, stopsWhenCancelled: Bool = true) {
        self.stopsWhenCancelled = stopsWhenCancelled
        super.init()
        self.name = name
    }

    override func main() {
        mains.add()
        began.open()
    }

    override func didCancel() {
        cancels.add()
        told.open()
        if stopsWhenCancelled { finish() }
    }
}

// Operation forces @unchecked. The properties are constants.
/// Finishes inside `start()`, with an error if it has one.
final class InstantOperation: ConcurrentOperation, @unchecked Sendable {
    private let failure: SampleError?

    init(_ name: String, failure: SampleError? = nil) {
        self.failure = failure
        super.init()
        self.name = name
    }

    override func main() {
        if let failure { finish(with: failure) } else { finish() }
    }
}

// Operation forces @unchecked. The closures are constants.
/// Runs closures in `main()` and `didCancel()`, which may finish it.
final class ScriptedOperation: ConcurrentOperation, @unchecked Sendable {
    private let onMain: @Sendable (ScriptedOperation) -> Void
    private let onCancel: @Sendable (ScriptedOperation) -> Void

    init(
        _ name: String? = nil,
        onCancel: @escaping @Sendable (ScriptedOperation) -> Void = { $0.finish() },
        onMain: @escaping @Sendable (ScriptedOperation) -> Void
    ) {
        self.onMain = onMain
        self.onCancel = onCancel
        super.init()
        self.name = name
    }

    override func main() { onMain(self) }

    override func didCancel() { onCancel(self) }
}

// Operation forces @unchecked. The class has no stored properties.
/// A result operation that executes until a test finishes it, or until it is cancelled.
final class HeldResultOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable {
    override func main() {}

    override func didCancel() { finish() }
}
