import Testing

@testable import AMQP

@Suite struct PublishConfirmsTests {
    private func confirms(_ count: Int) -> PublishConfirms<String> {
        var confirms = PublishConfirms<String>()
        for number in 1...count { confirms.published("m\(number)") }
        return confirms
    }

    @Test func numbersBeginWithOne() {
        var confirms = PublishConfirms<String>()
        #expect(confirms.nextNumber == 1)
        confirms.published("m1")
        #expect(confirms.nextNumber == 2)
    }

    @Test func multipleAnswersAllThatAreLower() {
        var confirms = confirms(4)
        #expect(confirms.answered(3, multiple: true) == ["m1", "m2", "m3"])
        #expect(confirms.answered(4, multiple: false) == ["m4"])
        #expect(confirms.count == 0)
        #expect(confirms.nextNumber == 5)
    }

    @Test func aGapStaysUnanswered() {
        var confirms = confirms(5)
        #expect(confirms.answered(2, multiple: false) == ["m2"])
        #expect(confirms.answered(4, multiple: false) == ["m4"])
        #expect(confirms.count == 3)
        #expect(confirms.answered(4, multiple: true) == ["m1", "m3"])
        #expect(confirms.answered(5, multiple: false) == ["m5"])
    }

    @Test func zeroWithMultipleAnswersAll() {
        var confirms = confirms(3)
        #expect(confirms.answered(2, multiple: false) == ["m2"])
        #expect(confirms.answered(0, multiple: true) == ["m1", "m3"])
        #expect(confirms.answered(0, multiple: true) == [])
    }

    @Test func aSecondAnswerAndAnUnknownNumberAreNothing() {
        var confirms = confirms(2)
        #expect(confirms.answered(1, multiple: false) == ["m1"])
        #expect(confirms.answered(1, multiple: false) == [])
        #expect(confirms.answered(1, multiple: true) == [])
        #expect(confirms.answered(9, multiple: false) == [])
        #expect(confirms.answered(9, multiple: true) == ["m2"])
    }

    @Test func abandonedMessagesComeInOrderAndNumbersGoOn() {
        var confirms = confirms(3)
        _ = confirms.answered(2, multiple: false)
        #expect(confirms.abandonAll() == ["m1", "m3"])
        #expect(confirms.nextNumber == 4)
        #expect(confirms.answered(3, multiple: false) == [])
    }

    @Test func anUpdateReachesWhatIsUnanswered() {
        var confirms = confirms(2)
        confirms.update(2) { $0 += "!" }
        confirms.update(7) { $0 += "?" }
        #expect(confirms.answered(2, multiple: true) == ["m1", "m2!"])
        confirms.update(1) { $0 += "?" }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func inAnyOrderOfAnswersEveryMessageIsAnsweredOnce(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var confirms = PublishConfirms<UInt64>()
        var unanswered: Set<UInt64> = []
        for _ in 0..<5_000 {
            if Bool.random(using: &generator) {
                unanswered.insert(confirms.nextNumber)
                confirms.published(confirms.nextNumber)
            } else {
                let low = confirms.nextNumber > 30 ? confirms.nextNumber - 30 : 0
                let number = UInt64.random(in: low...confirms.nextNumber, using: &generator)
                let multiple = Int.random(in: 0..<8, using: &generator) == 0
                let expected = unanswered.filter { other in
                    multiple ? number == 0 || other <= number : other == number
                }
                #expect(confirms.answered(number, multiple: multiple) == expected.sorted())
                unanswered.subtract(expected)
            }
            #expect(confirms.count == unanswered.count)
        }
    }
}
