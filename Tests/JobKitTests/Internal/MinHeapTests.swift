import Testing

@testable import JobKit

@Suite struct MinHeapTests {
    @Test func emptyHeapGivesNothing() {
        var heap = MinHeap<Int>()
        #expect(heap.first == nil)
        #expect(heap.popFirst() == nil)
    }

    /// Every order in which six elements, two of them equal, can be inserted.
    @Test func everyOrderIsPoppedSorted() {
        func visit(_ chosen: [Int], _ left: [Int]) {
            guard !left.isEmpty else {
                var heap = MinHeap<Int>()
                for element in chosen { heap.insert(element) }
                #expect(chosen.indices.map { _ in heap.popFirst() } == chosen.sorted())
                return
            }
            for index in left.indices {
                var rest = left
                let element = rest.remove(at: index)
                visit(chosen + [element], rest)
            }
        }
        visit([], [1, 2, 3, 3, 4, 5])
    }

    @Test(arguments: UInt64(0)..<20) func randomWalkAgreesWithASortedArray(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var heap = MinHeap<Int>()
        var oracle: [Int] = []
        for _ in 0..<600 {
            if Bool.random(using: &generator) {
                let element = Int.random(in: 0..<50, using: &generator)
                heap.insert(element)
                oracle.append(element)
                oracle.sort()
            } else {
                #expect(heap.popFirst() == (oracle.isEmpty ? nil : oracle.removeFirst()))
            }
            #expect(heap.first == oracle.first)
        }
    }
}
