import Testing

@testable import JobKitTesting

@Suite struct HeldElementsTests {
    private final class Element {}

    /// Compares it with a plain array, which the queue used before.
    @Test(arguments: 0..<50) func elementsAreThoseOfAnArray(seed: Int) {
        var random = StepGenerator(seed: UInt64(seed))
        var held = HeldElements<Element>()
        var (oracle, taken) = ([Element](), [Element]())
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...1:
                let element = Element()
                held.append(element)
                oracle.append(element)
            case 2:
                // The element is already there and keeps its position.
                if let element = oracle.randomElement(using: &random) { held.append(element) }
            case 3:
                guard let element = held.random(using: &random) else { break }
                #expect(oracle.contains { $0 === element })
                #expect(held.remove(element) == true)
                #expect(held.remove(element) == false)
                oracle.removeAll { $0 === element }
                taken.append(element)
            default:
                // A removed element may be inserted again.
                guard let element = taken.popLast() else { break }
                held.append(element)
                oracle.append(element)
            }
            #expect(held.count == oracle.count)
            #expect(held.first === oracle.first)
            #expect(held.all.map(ObjectIdentifier.init) == oracle.map(ObjectIdentifier.init))
            #expect((held.random(using: &random) == nil) == oracle.isEmpty)
        }
    }

    @Test func eachElementIsDrawnAboutAsOften() {
        var random = StepGenerator(seed: 1)
        var held = HeldElements<Element>()
        let elements = (0..<8).map { _ in Element() }
        for element in elements { held.append(element) }
        // Empty slots must not change the probabilities.
        for element in elements[..<4] { #expect(held.remove(element) == true) }
        var counts: [ObjectIdentifier: Int] = [:]
        for _ in 0..<4_000 {
            guard let element = held.random(using: &random) else { break }
            counts[ObjectIdentifier(element), default: 0] += 1
        }
        for element in elements[4...] {
            #expect((800...1_200).contains(counts[ObjectIdentifier(element)] ?? 0))
        }
    }
}
