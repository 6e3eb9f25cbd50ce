import JobKit

/// A task that has finished as soon as it was started: what is left is JobKit's own cost.
// Unchecked, as every Operation subclass: it has no state of its own.
final class EmptyTask: ConcurrentOperation, @unchecked Sendable {}
