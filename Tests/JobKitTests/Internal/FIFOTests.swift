import Testing

@testable import JobKit

@Suite struct FIFOTests {
    @Test func emptyListGivesNothing() {
        var list = FIFO<Int>()
        #expect(list.first == nil)
        #expect(list.popFirst() == nil)
        #expect(list.isEmpty)
        #expect(list.elements == [])
    }

    @Test func elementsComeOutAsTheyWentIn() {
        var list = FIFO<Int>()
        for number in 0..<100 { list.append(number) }
        #expect(list.elements == Array(0..<100))
        #expect((0..<100).map { _ in list.popFirst() } == Array(0..<100))
        #expect(list.popFirst() == nil)
    }

    @Test(arguments: UInt64(0)..<20) func randomWalkAgreesWithAnArray(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var list = FIFO<Int>()
        var oracle: [Int] = []
        for step in 0..<3_000 {
            if step % 97 == 0 {
                let divisor = Int.random(in: 2...5, using: &generator)
                list.removeAll { $0 % divisor == 0 }
                oracle.removeAll { $0 % divisor == 0 }
            }
            // Grows, then shrinks, so that the head wraps at every capacity.
            if Int.random(in: 0..<100, using: &generator) < (step / 150 % 2 == 0 ? 60 : 40) {
                list.append(step)
                oracle.append(step)
            } else {
                #expect(list.popFirst() == (oracle.isEmpty ? nil : oracle.removeFirst()))
            }
            #expect(list.count == oracle.count)
            #expect(list.first == oracle.first)
            #expect(list.elements == oracle)
        }
    }

    @Test func elementsBetweenOthersAreRemoved() {
        var list = FIFO<Int>()
        for number in 0..<8 { list.append(number) }
        for _ in 0..<6 { _ = list.popFirst() }
        for number in 8..<14 { list.append(number) }
        list.removeAll { $0 % 3 == 0 }
        #expect(list.elements == [7, 8, 10, 11, 13])
        list.removeAll { _ in true }
        #expect(list.isEmpty)
        list.append(14)
        #expect(list.popFirst() == 14)
        #expect(list.popFirst() == nil)
    }

    @Test func removedElementIsReleased() {
        final class Token {}
        var list = FIFO<Token>()
        weak var token: Token?
        do {
            let made = Token()
            token = made
            list.append(made)
        }
        #expect(token != nil)
        list.removeAll { _ in true }
        #expect(token == nil)
    }

    @Test func poppedElementIsReleased() {
        final class Token {}
        var list = FIFO<Token>()
        weak var token: Token?
        do {
            let made = Token()
            token = made
            list.append(made)
        }
        #expect(token != nil)
        _ = list.popFirst()
        #expect(token == nil)
    }
}
