import Testing

@testable import JobKit

extension Int: Blank {}
extension String: Blank {}

@Suite struct StableListTests {
    @Test func vacantElementsAreUsedAgain() {
        var list = StableList<String>()
        let indices = (0..<3).map { _ in list.add() }
        list[indices[1]] = "second"
        list.remove(indices[1])
        #expect(list.count == 2)
        #expect(list[indices[1]] == "")
        #expect(list.add() == indices[1])
        #expect(list.endIndex == 3)
    }

    /// The last element is replaced again and again, and each time by one with a lower index.
    @Test func listThatIsNeverEmptyFreesItsMemory() {
        var list = StableList<Int>()
        let indices = (0..<1_000).map { _ in list.add() }
        for index in indices.dropLast() { list.remove(index) }
        var last = 999
        for _ in 0..<3_000 {
            let next = list.add()
            list.remove(last)
            last = next
        }
        #expect(list.count == 1)
        #expect(list.endIndex <= 128)
    }

    @Test(arguments: UInt64(0)..<10) func randomWalkAgreesWithADictionary(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var (list, oracle) = (StableList<Int>(), [(index: Int, value: Int)]())
        var size = 1
        for step in 1..<5_000 {
            if step % 500 == 0 { size = Int.random(in: 1...1_000, using: &generator) }
            if oracle.count < size || Bool.random(using: &generator) {
                let index = list.add()
                list[index] = step
                oracle.append((index, step))
            }
            if oracle.count > size {
                let position = Int.random(in: 0..<oracle.count, using: &generator)
                oracle.swapAt(position, oracle.count - 1)
                list.remove(oracle.removeLast().index)
            }
        }
        #expect(list.count == oracle.count)
        #expect(oracle.allSatisfy { list[$0.index] == $0.value })
    }
}
