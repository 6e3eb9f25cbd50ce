import Testing

@testable import RemoteJobs

@Suite struct AcknowledgementsTests {
    private func held(_ count: Int) -> Acknowledgements {
        var acknowledgements = Acknowledgements()
        for _ in 0..<count { acknowledgements.delivered() }
        return acknowledgements
    }

    /// The acknowledgements as text: `n` for one message and `≤n` for all up to it.
    private func text(_ words: [Acknowledgements.Word]) -> [String] {
        words.map { $0.isMultiple ? "≤\($0.number)" : "\($0.number)" }
    }

    @Test func theOldestGoTogetherAndThoseBehindAHeldOneAlone() {
        var acknowledgements = held(6)
        #expect(acknowledgements.dealtWith(2) == true)
        #expect(acknowledgements.dealtWith(1) == false)
        #expect(acknowledgements.dealtWith(5) == false)
        #expect(text(acknowledgements.take()) == ["≤2", "5"])
        #expect(text(acknowledgements.take()) == [])
    }

    @Test func aWordForManyNamesOneThatWasNotToldBefore() {
        var acknowledgements = held(4)
        #expect(acknowledgements.dealtWith(2) == true)
        #expect(text(acknowledgements.take()) == ["2"])
        // The broker closes a channel that acknowledges a number twice.
        #expect(acknowledgements.dealtWith(1) == true)
        #expect(text(acknowledgements.take()) == ["≤1"])
        #expect(acknowledgements.dealtWith(4) == true)
        #expect(acknowledgements.dealtWith(3) == false)
        #expect(text(acknowledgements.take()) == ["≤4"])
    }

    @Test func aRejectedOneIsNotAcknowledgedAndHoldsNothingUp() {
        var acknowledgements = held(3)
        acknowledgements.rejected(1)
        #expect(acknowledgements.dealtWith(1) == false)
        #expect(acknowledgements.dealtWith(2) == true)
        acknowledgements.rejected(3)
        #expect(text(acknowledgements.take()) == ["≤2"])
        #expect(text(acknowledgements.take()) == [])
    }

    @Test func nothingIsAcknowledgedTwiceOrUnseen() {
        var acknowledgements = held(1)
        #expect(acknowledgements.dealtWith(2) == false)
        #expect(acknowledgements.dealtWith(1) == true)
        #expect(acknowledgements.dealtWith(1) == false)
        #expect(text(acknowledgements.take()) == ["≤1"])
        #expect(acknowledgements.dealtWith(1) == false)
        #expect(text(acknowledgements.take()) == [])
    }

    @Test func allAreAcknowledgedOnceInAnyOrder() {
        var generator = SystemRandomNumberGenerator()
        var acknowledgements = held(0)
        var (open, delivered): (Set<UInt64>, UInt64) = ([], 0)
        var left: [UInt64] = []
        while delivered < 5_000 || !left.isEmpty {
            if delivered < 5_000, left.count < 64 {
                delivered += 1
                acknowledgements.delivered()
                left.append(delivered)
                open.insert(delivered)
            } else {
                let place = Int.random(in: 0..<min(8, left.count), using: &generator)
                _ = acknowledgements.dealtWith(left.remove(at: place))
                guard left.isEmpty || Bool.random(using: &generator) else { continue }
                for word in acknowledgements.take() {
                    #expect(open.contains(word.number))
                    open = open.filter { word.isMultiple ? $0 > word.number : $0 != word.number }
                    #expect(left.allSatisfy { open.contains($0) })
                }
            }
        }
        #expect(open.isEmpty)
    }
}
