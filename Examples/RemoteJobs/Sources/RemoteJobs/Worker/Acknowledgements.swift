/// Combines the acknowledgements of a channel's deliveries as far as possible.
///
/// A broker numbers the deliveries of a channel from 1. One acknowledgement can cover all
/// deliveries up to a number. Deliveries after one that is still held are acknowledged one by one.
struct Acknowledgements {
    /// An acknowledgement to send.
    struct Word: Hashable {
        let number: UInt64
        /// Whether it covers all lower numbers too.
        let isMultiple: Bool
    }

    private enum State {
        case held
        /// Handled, but not yet acknowledged.
        case due
        case told
    }

    /// The oldest number that is held or due is `firstNumber`, at `head` of `states`.
    private var states: [State] = []
    private var head = 0
    private var firstNumber: UInt64 = 1
    private var due: [UInt64] = []
    /// The number of messages that are not handled.
    private(set) var heldCount = 0

    /// Whether all messages are handled and acknowledged.
    var isSettled: Bool { heldCount == 0 && due.isEmpty }

    /// Adds the next delivery.
    mutating func delivered() {
        states.append(.held)
        heldCount += 1
    }

    /// Marks a message as handled.
    ///
    /// - Returns: Whether it is the first one to acknowledge, so that the caller must schedule
    ///   ``take()``.
    mutating func dealtWith(_ number: UInt64) -> Bool {
        guard let place = place(of: number), states[place] == .held else { return false }
        states[place] = .due
        heldCount -= 1
        due.append(number)
        return due.count == 1
    }

    /// Marks a message as rejected, because a rejection is sent separately.
    mutating func rejected(_ number: UInt64) {
        guard let place = place(of: number), states[place] == .held else { return }
        states[place] = .told
        heldCount -= 1
    }

    /// Takes the acknowledgements to send now.
    mutating func take() -> [Word] {
        var last: UInt64?
        while head < states.count, states[head] != .held {
            if states[head] == .due { last = firstNumber }
            head += 1
            firstNumber += 1
        }
        var words = last.map { [Word(number: $0, isMultiple: true)] } ?? []
        for number in due {
            guard let place = place(of: number) else { continue }
            states[place] = .told
            words.append(Word(number: number, isMultiple: false))
        }
        due.removeAll(keepingCapacity: true)
        if head > 1_024, head > states.count / 2 {
            states.removeFirst(head)
            head = 0
        }
        return words
    }

    private func place(of number: UInt64) -> Int? {
        guard number >= firstNumber, number - firstNumber < UInt64(states.count - head) else {
            return nil
        }
        return head + Int(number - firstNumber)
    }
}
