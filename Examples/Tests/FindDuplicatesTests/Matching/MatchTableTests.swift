import Testing

@testable import FindDuplicates

@Suite struct MatchTableTests {
    @Test func firstMemberOfAKeyIsOnlyRemembered() {
        var table = MatchTable<Int, String>()
        #expect(table.add("a", key: 1) == [])
        #expect(table.add("b", key: 2) == [])
    }

    @Test func secondMemberMakesBothCandidates() {
        var table = MatchTable<Int, String>()
        #expect(table.add("a", key: 1) == [])
        #expect(table.add("b", key: 1) == ["a", "b"])
    }

    @Test func laterMembersAreCandidatesAlone() {
        var table = MatchTable<Int, String>()
        for name in ["a", "b"] { _ = table.add(name, key: 1) }
        #expect(table.add("c", key: 1) == ["c"])
        #expect(table.add("d", key: 1) == ["d"])
    }
}
