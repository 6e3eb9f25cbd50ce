/// Calls a closure when its last owner releases it.
final class ReleaseToken: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
