/// The failure of a ``ResultOperation`` or ``ResultJob`` that finished without a value.
public struct NoResult: Error {
    /// Makes the error; it has nothing to tell but its type.
    public init() {}
}
