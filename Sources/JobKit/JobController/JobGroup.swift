import Foundation

/// A group of a job's tasks that share a completion.
///
/// A task's group is its exact dynamic type, unless it is tracked with another group.
public struct JobGroup: Hashable, Sendable, CustomStringConvertible {
    private let type: Operation.Type?
    private let name: String?

    /// Returns the group of all tasks with exactly this dynamic type.
    public static func type(_ type: Operation.Type) -> JobGroup {
        JobGroup(type: type, name: nil)
    }

    /// Returns the group with this name, for tasks that are tracked with it.
    public static func named(_ name: String) -> JobGroup {
        JobGroup(type: nil, name: name)
    }

    /// The name of the type, or the name that was given.
    public var description: String {
        name ?? type.map { String(describing: $0) } ?? ""
    }

    /// Whether both groups have the same type or the same name.
    public static func == (left: JobGroup, right: JobGroup) -> Bool {
        left.type == right.type && left.name == right.name
    }

    /// Hashes the type or the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type.map { ObjectIdentifier($0) })
        hasher.combine(name)
    }
}

extension JobGroup: ExpressibleByStringLiteral {
    /// Creates the group with a name, as in `group: "photos"`.
    public init(stringLiteral name: String) {
        self = .named(name)
    }
}
