/// The failure of a ``ResultOperation`` or ``ResultJob`` that finished without a value.
public struct NoResult: Error {
    /// Creates the error.
    public init() {}
}
