// Operation forces @unchecked. The closure is a constant.
/// Runs a closure that says itself when its work is done.
final class AsynchronousClosureOperation: ConcurrentOperation, @unchecked Sendable {
    private let body: @Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void

    init(_ body: @escaping @Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void) {
        self.body = body
    }

    override func main() {
        body { [self] error in
            if let error { finish(with: error) } else { finish() }
        }
    }

    /// The work cannot be stopped; the operation finishes when it says that it is done.
    override func didCancel() {}
}
