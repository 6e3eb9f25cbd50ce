import Foundation

/// The groups of one job, by number, and what is to be called when each has finished.
struct JobGroups {
    private var numbers: [JobGroup: Int] = [:]
    private(set) var groups: [JobGroup] = []
    private(set) var completions: [Int: @Sendable () -> Void] = [:]
    /// Most tasks are of the same type as the one before.
    private var lastType: ObjectIdentifier?
    private var lastNumber = 0

    /// The number of a task's group, and whether it is new.
    mutating func number(of group: JobGroup?, for type: Operation.Type) -> (Int, isNew: Bool) {
        if group == nil, lastType == ObjectIdentifier(type) { return (lastNumber, false) }
        let result = number(of: group ?? .type(type))
        if group == nil { (lastType, lastNumber) = (ObjectIdentifier(type), result.0) }
        return result
    }

    mutating func number(of group: JobGroup) -> (Int, isNew: Bool) {
        if let number = numbers[group] { return (number, false) }
        numbers[group] = groups.count
        groups.append(group)
        return (groups.count - 1, true)
    }

    /// Returns the completion that this one replaces.
    mutating func setCompletion(
        _ completion: @escaping @Sendable () -> Void,
        for number: Int
    ) -> (@Sendable () -> Void)? {
        completions.updateValue(completion, forKey: number)
    }

    /// Takes out all completions, for the caller to release with no lock held.
    mutating func takeCompletions() -> [Int: @Sendable () -> Void] {
        defer { completions = [:] }
        return completions
    }
}
