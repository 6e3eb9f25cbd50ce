/// An operation that ends with a value.
protocol ValueProducing<Success>: ConcurrentOperation {
    associatedtype Success: Sendable

    /// The value, or why there is none; nil until the operation has finished.
    var result: Result<Success, any Error>? { get }
}

extension ResultOperation: ValueProducing {}
extension ResultJob: ValueProducing {}
