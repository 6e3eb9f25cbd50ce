import Testing

@testable import JobKit

@Suite struct OrderedMapTests {
    private final class Key: Sendable {}

    @Test(arguments: UInt64(1)...30) func randomWalkAgreesWithAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var map = OrderedMap<Int>()
        var oracle: [(key: Key, value: Int)] = []
        for step in 0..<600 {
            // The number rises and falls, so both search methods are used, with and without gaps.
            if oracle.isEmpty || random.chance(step / 100 % 2 == 0 ? 70 : 35) {
                let key = Key()
                map.add(step, for: key)
                oracle.append((key, step))
            } else {
                let (key, value) = oracle.remove(
                    at: Int.random(in: oracle.indices, using: &random)
                )
                #expect(map.remove(key) == value)
                #expect(map.remove(key) == nil)
            }
            #expect(map.isEmpty == oracle.isEmpty)
            #expect(map.count == oracle.count)
            #expect(map.values == oracle.map(\.value))
            guard let first = oracle.first else { continue }
            #expect(map[first.key] == first.value)
            let others = oracle.dropFirst().map(\.value)
            #expect(map.values(.max, otherThan: first.key) == others.reversed())
            #expect(map.values(1, otherThan: first.key).count == min(1, others.count))
        }
    }
}
