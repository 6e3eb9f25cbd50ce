/// A kind of work that one process requests and another one runs.
///
/// The programs of the controller and of the workers share the type. The workers register the
/// implementation.
///
/// ```swift
/// enum Thumbnail: RemoteWork {
///     struct Input: Codable, Sendable { var path: String; var width: Int }
///     struct Output: Codable, Sendable { var bytes: Int }
///     static let name = "thumbnail"
/// }
/// ```
public protocol RemoteWork: Sendable {
    /// The input of a task.
    ///
    /// It travels as JSON.
    associatedtype Input: Codable & Sendable
    /// The result of a task.
    ///
    /// It travels as JSON.
    associatedtype Output: Codable & Sendable
    /// The name that connects tasks and workers, 1 to 100 bytes without a dot.
    static var name: String { get }
}
