/// Future events in order of time.
///
/// Events of the same moment keep the order of insertion.
///
/// > Source: a binary heap, as in Knuth, The Art of Computer Programming, volume 3, 5.2.3.
struct EventLine<Event> {
    private struct Entry {
        let time: Double
        let number: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            (time, number) < (other.time, other.number)
        }
    }

    private var heap: [Entry] = []
    private var lastNumber = 0

    mutating func add(_ event: Event, at time: Double) {
        lastNumber += 1
        heap.append(Entry(time: time, number: lastNumber, event: event))
        var place = heap.count - 1
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func takeFirst() -> (time: Double, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        return (first.time, first.event)
    }

    private mutating func sink(_ entry: Entry) {
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = entry
    }
}

/// Pseudorandom numbers, the same for the same seed.
///
/// > Source: Vigna, "SplitMix64", 2015, in the public domain.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
