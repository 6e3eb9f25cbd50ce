import JobKit

/// A task that executes until somebody finishes it, and holds no thread meanwhile.
// Unchecked, as every Operation subclass: it has no state of its own.
final class PendingTask: ConcurrentOperation, @unchecked Sendable {
    override func main() {}
}
