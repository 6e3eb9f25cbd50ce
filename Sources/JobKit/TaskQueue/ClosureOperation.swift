// Operation forces @unchecked. The closure is a constant.
/// Runs a closure as an operation.
final class ClosureOperation: ConcurrentOperation, @unchecked Sendable {
    private let block: @Sendable () -> Void

    init(_ block: @escaping @Sendable () -> Void) {
        self.block = block
    }

    override func main() {
        block()
        finish()
    }

    /// The closure cannot be stopped; the operation finishes when it has returned.
    override func didCancel() {}
}
