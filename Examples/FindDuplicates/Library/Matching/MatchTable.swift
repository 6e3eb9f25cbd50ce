/// Finds out which members share a key, as they come.
///
/// The search uses it twice: by size, then by size and head. A member that is alone with its key
/// so far is only remembered. The second one makes both candidates, and each later one is a
/// candidate at once, so nobody has to wait until all members are known.
struct MatchTable<Key: Hashable, Member> {
    private enum Entry {
        case alone(Member)
        case shared
    }

    private var entries: [Key: Entry] = [:]

    /// Adds a member.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - key: What it may share with others.
    /// - Returns: The members now known to share their key that were not known to before: none,
    ///   the first and this one, or this one.
    mutating func add(_ member: Member, key: Key) -> [Member] {
        switch entries[key] {
        case nil:
            entries[key] = .alone(member)
            return []
        case .alone(let first):
            entries[key] = .shared
            return [first, member]
        case .shared:
            return [member]
        }
    }
}
