// Operation forces @unchecked. This class adds no state.
/// An event that other operations and jobs wait for.
///
/// ```swift
/// let login = EventOperation<User>(name: "login")
/// sync.addDependency(login)
/// queue.addOperation(login)
/// // When the user has logged in:
/// login.finish(returning: user)
/// ```
///
/// The operation does no work. It executes from its start until other code calls
/// ``ResultOperation/finish(returning:)``, ``ConcurrentOperation/finish()`` or
/// ``ConcurrentOperation/finish(with:)``. Because there is no work to stop, it also finishes when
/// it is cancelled or times out. It holds no thread.
public final class EventOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable
{
    /// Creates an event that has not happened.
    public init(name: String? = nil) {
        super.init()
        if let name { self.name = name }
    }

    /// Does nothing, because other code finishes the operation.
    public override func main() {}

    /// Finishes the operation.
    public override func didCancel() { finish() }

    /// States that other code must finish the operation.
    public override var statusNote: String? { "until other code calls finish" }
}
