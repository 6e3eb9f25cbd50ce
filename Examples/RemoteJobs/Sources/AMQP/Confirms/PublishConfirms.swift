/// Knows which published messages the broker has not confirmed yet.
///
/// A channel that confirms numbers its messages from 1. The broker answers each number once, alone
/// or together with all that are lower, in any order.
package struct PublishConfirms<Payload> {
    /// The oldest unanswered number is `firstNumber`, at `head` of `pending`.
    private var pending: [Payload?] = []
    private var head = 0
    private var firstNumber: UInt64 = 1
    /// How many messages are unanswered.
    package private(set) var count = 0

    /// Begins with a channel that has published nothing.
    package init() {}

    /// The number of the message that is published next.
    package var nextNumber: UInt64 { firstNumber + UInt64(pending.count - head) }

    /// The number of the oldest message that is unanswered.
    var oldestNumber: UInt64? { count > 0 ? firstNumber : nil }

    /// Notes a message that has been published.
    package mutating func published(_ payload: Payload) {
        pending.append(payload)
        count += 1
    }

    /// Takes the broker's answer.
    ///
    /// - Parameters:
    ///   - number: The message.
    ///   - multiple: Whether all lower numbers are answered too; 0 then stands for all.
    /// - Returns: What was noted with the messages now answered, in their order; nothing for a
    ///   number that was answered before or never published.
    package mutating func answered(_ number: UInt64, multiple: Bool) -> [Payload] {
        let end = firstNumber + UInt64(pending.count - head)
        if multiple {
            let last = number == 0 ? end - 1 : min(number, end - 1)
            guard last >= firstNumber else { return [] }
            let places = head...(head + Int(last - firstNumber))
            let answered = places.compactMap { pending[$0] }
            for place in places { pending[place] = nil }
            count -= answered.count
            skipAnswered()
            return answered
        }
        guard number >= firstNumber, number < end else { return [] }
        let place = head + Int(number - firstNumber)
        guard let payload = pending[place] else { return [] }
        pending[place] = nil
        count -= 1
        skipAnswered()
        return [payload]
    }

    /// Changes what was noted with a message that is not answered yet.
    package mutating func update(_ number: UInt64, _ change: (inout Payload) -> Void) {
        guard number >= firstNumber, number < nextNumber else { return }
        let place = head + Int(number - firstNumber)
        guard var payload = pending[place] else { return }
        change(&payload)
        pending[place] = payload
    }

    /// Gives up all that is unanswered, because the channel has gone.
    ///
    /// - Returns: What was noted with the messages, in their order.
    package mutating func abandonAll() -> [Payload] {
        let abandoned = pending[head...].compactMap(\.self)
        firstNumber = nextNumber
        pending = []
        head = 0
        count = 0
        return abandoned
    }

    private mutating func skipAnswered() {
        while head < pending.count, pending[head] == nil {
            head += 1
            firstNumber += 1
        }
        if head == pending.count {
            pending.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 1_024, head > pending.count / 2 {
            pending.removeFirst(head)
            head = 0
        }
    }
}
