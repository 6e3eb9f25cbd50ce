/// Decides how a channel's deliveries are acknowledged, as many as may be with one word.
///
/// A broker numbers a channel's deliveries from 1, and takes one acknowledgement for all up to a
/// number. Those behind one that is still held are acknowledged each alone.
struct Acknowledgements {
    /// An acknowledgement to be sent.
    struct Word: Hashable {
        let number: UInt64
        /// Whether it is for all lower numbers too.
        let isMultiple: Bool
    }

    private enum State {
        case held
        /// Dealt with, which the broker has not been told.
        case due
        case told
    }

    /// The oldest number that is held or due is `firstNumber`, at `head` of `states`.
    private var states: [State] = []
    private var head = 0
    private var firstNumber: UInt64 = 1
    private var due: [UInt64] = []
    /// How many messages are not dealt with.
    private(set) var heldCount = 0

    /// Whether all is dealt with, and the broker was told.
    var isSettled: Bool { heldCount == 0 && due.isEmpty }

    /// The next message was delivered.
    mutating func delivered() {
        states.append(.held)
        heldCount += 1
    }

    /// A message is dealt with.
    ///
    /// - Returns: Whether it is the first for the next words, so that somebody must take them.
    mutating func dealtWith(_ number: UInt64) -> Bool {
        guard let place = place(of: number), states[place] == .held else { return false }
        states[place] = .due
        heldCount -= 1
        due.append(number)
        return due.count == 1
    }

    /// A message was rejected, of which the broker is told elsewhere.
    mutating func rejected(_ number: UInt64) {
        guard let place = place(of: number), states[place] == .held else { return }
        states[place] = .told
        heldCount -= 1
    }

    /// Takes what is to be sent now.
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
