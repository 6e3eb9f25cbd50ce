/// Keeps the published messages that the broker has not confirmed.
///
/// On a channel with confirms, messages are numbered from 1. The broker answers each number once,
/// either alone or together with all lower numbers, in any order.
package struct PublishConfirms<Payload> {
    /// The oldest unanswered message has the number `firstNumber` and is at `head` of `pending`.
    private var pending: [Payload?] = []
    private var head = 0
    private var firstNumber: UInt64 = 1
    /// The number of unanswered messages.
    package private(set) var count = 0

    /// Creates the state of a channel that has published nothing.
    package init() {}

    /// The number of the next message.
    package var nextNumber: UInt64 { firstNumber + UInt64(pending.count - head) }

    /// The number of the oldest unanswered message.
    var oldestNumber: UInt64? { count > 0 ? firstNumber : nil }

    /// Adds a published message.
    package mutating func published(_ payload: Payload) {
        pending.append(payload)
        count += 1
    }

    /// Removes the messages that the broker has answered.
    ///
    /// - Parameters:
    ///   - number: The message.
    ///   - multiple: Whether all lower numbers are answered too. In this case, 0 means all
    ///     messages.
    /// - Returns: The payloads of these messages in order. Empty if the number was answered before
    ///   or never published.
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

    /// Changes the payload of a message that is still unanswered.
    package mutating func update(_ number: UInt64, _ change: (inout Payload) -> Void) {
        guard number >= firstNumber, number < nextNumber else { return }
        let place = head + Int(number - firstNumber)
        guard var payload = pending[place] else { return }
        change(&payload)
        pending[place] = payload
    }

    /// Removes all unanswered messages, because the channel has closed.
    ///
    /// - Returns: The payloads of the messages, in order.
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
