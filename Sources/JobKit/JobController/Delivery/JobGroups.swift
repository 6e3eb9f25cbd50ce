import Foundation

/// The groups of one job, numbered, with their completions.
struct JobGroups {
    private var numbers: [JobGroup: Int] = [:]
    private(set) var groups: [JobGroup] = []
    private(set) var completions: [Int: @Sendable () -> Void] = [:]
    /// A cache, because most tasks have the same type as the one before.
    private var lastType: ObjectIdentifier?
    private var lastNumber = 0

    /// Returns the number of a task's group.
    mutating func number(of group: JobGroup?, for type: Operation.Type) -> Int {
        if group == nil, lastType == ObjectIdentifier(type) { return lastNumber }
        let number = number(of: group ?? .type(type))
        if group == nil { (lastType, lastNumber) = (ObjectIdentifier(type), number) }
        return number
    }

    mutating func number(of group: JobGroup) -> Int {
        if let number = numbers[group] { return number }
        numbers[group] = groups.count
        groups.append(group)
        return groups.count - 1
    }

    /// Sets a completion and returns the one that it replaces.
    mutating func setCompletion(
        _ completion: @escaping @Sendable () -> Void,
        for group: JobGroup
    ) -> (@Sendable () -> Void)? {
        completions.updateValue(completion, forKey: number(of: group))
    }

    /// Removes all completions, which the caller must release with no lock held.
    mutating func takeCompletions() -> [Int: @Sendable () -> Void] {
        exchange(&completions, with: [:])
    }
}
