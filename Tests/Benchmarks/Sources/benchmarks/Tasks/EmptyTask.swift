import JobKit

/// A task that finishes as soon as it is started, which leaves JobKit's own cost.
// Unchecked, like every Operation subclass: it has no stored properties.
final class EmptyTask: ConcurrentOperation, @unchecked Sendable {}
