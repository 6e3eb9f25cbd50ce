import Foundation

/// A group of a job's tasks with a common completion.
///
/// A task's group is its exact dynamic type, unless it is tracked with another group.
public struct JobGroup: Hashable, Sendable, CustomStringConvertible {
    private enum Identity: Hashable {
        case type(ObjectIdentifier)
        case name(String)
    }

    private let identity: Identity
    private let type: Operation.Type?

    /// The group of the tasks of exactly this dynamic type.
    public static func type(_ type: Operation.Type) -> JobGroup {
        JobGroup(identity: .type(ObjectIdentifier(type)), type: type)
    }

    /// The group with this name, for tasks that are tracked with it.
    public static func named(_ name: String) -> JobGroup {
        JobGroup(identity: .name(name), type: nil)
    }

    /// The type's name, or the name given.
    public var description: String {
        switch identity {
        case .name(let name): name
        case .type: type.map { String(describing: $0) } ?? ""
        }
    }

    /// Whether both stand for the same type, or the same name.
    public static func == (left: JobGroup, right: JobGroup) -> Bool {
        left.identity == right.identity
    }

    /// Hashes the type or the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
