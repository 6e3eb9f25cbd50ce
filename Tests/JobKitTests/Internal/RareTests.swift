import Testing

@testable import JobKit

@Suite struct RareTests {
    @Test func missingValueIsNeitherReadNorChanged() {
        var rare = Rare<[Int]>()
        #expect(rare.isNone)
        #expect(rare.value == nil)
        #expect(rare.read { $0.count } == nil)
        #expect(rare.change { $0.append(1) } == nil)
        #expect(rare.isNone)
    }

    @Test func valueIsMadeOnce() {
        var rare = Rare<[Int]>()
        for number in 1...3 { rare.change(orMake: [0]) { $0.append(number) } }
        #expect(!rare.isNone)
        #expect(rare.value == [0, 1, 2, 3])
        #expect(rare.read { $0.count } == 4)
        #expect(rare.change { $0.removeLast() } == 3)
    }

    @Test func copyKeepsItsValue() {
        var rare = Rare<[Int]>()
        rare.change(orMake: []) { $0.append(1) }
        let copy = rare
        _ = rare.change { $0.append(2) }
        #expect(copy.value == [1])
        #expect(rare.value == [1, 2])
    }

    @Test func takesOneWord() {
        #expect(MemoryLayout<Rare<(Int, Int, Int)>>.size == MemoryLayout<Int>.size)
    }
}
