/// A kind of work that one process asks for and another one does.
///
/// The controller's program and the workers' program share the type; the workers register how it
/// is done.
///
/// ```swift
/// enum Thumbnail: RemoteWork {
///     struct Input: Codable, Sendable { var path: String; var width: Int }
///     struct Output: Codable, Sendable { var bytes: Int }
///     static let name = "thumbnail"
/// }
/// ```
public protocol RemoteWork: Sendable {
    /// What a task is given. It travels as JSON.
    associatedtype Input: Codable & Sendable
    /// What a task comes to. It travels as JSON.
    associatedtype Output: Codable & Sendable
    /// The work's name, by which workers are found: without a dot, 1 to 100 bytes long.
    static var name: String { get }
}
