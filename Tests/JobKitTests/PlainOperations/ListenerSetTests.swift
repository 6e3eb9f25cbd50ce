import Testing

@testable import JobKit

@Suite struct ListenerSetTests {
    private final class Listener {}

    @Test(arguments: UInt64(0)..<30) func randomWalkAgreesWithAnArray(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        let listeners = (0..<20).map { _ in Listener() }
        var set = ListenerSet<Listener>()
        var oracle: [Listener] = []
        for _ in 0..<500 {
            let listener = listeners[Int.random(in: 0..<20, using: &generator)]
            if oracle.contains(where: { $0 === listener }) || Bool.random(using: &generator) {
                set.remove(listener)
                oracle.removeAll { $0 === listener }
            } else {
                set.insert(listener)
                oracle.append(listener)
            }
            #expect(set.isEmpty == oracle.isEmpty)
            let others = oracle.filter { $0 !== listener }.map(ObjectIdentifier.init)
            let (some, every) = (
                set.some(1, otherThan: listener), set.some(.max, otherThan: listener)
            )
            #expect(some.count == min(1, others.count))
            #expect(Set(every.map(ObjectIdentifier.init)) == Set(others))
            #expect(set.map(ObjectIdentifier.init) == oracle.map(ObjectIdentifier.init))
        }
    }
}
