import Synchronization

/// The random numbers of a round of the fuzzer, reproducible from its seed.
struct Dice: RandomNumberGenerator {
    private var walk: WalkGenerator

    init(seed: UInt64) { walk = WalkGenerator(seed: seed) }

    mutating func next() -> UInt64 { walk.next() }

    /// True once in `count` throws.
    mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns a delay of up to some microseconds, mostly a short one.
    mutating func delay() -> Delay {
        switch number(0...5) {
        case 0: Delay(spins: 0)
        case 1...3: Delay(spins: number(0...300))
        case 4: Delay(spins: number(0...4_000))
        default: Delay(spins: number(0...200), yields: number(1...3))
        }
    }
}

/// Keeps a thread busy for a moment, so that it meets another thread at a random point.
struct Delay: Sendable {
    var spins: Int
    var yields = 0

    private static let counter = Atomic(0)

    func pass() {
        for _ in 0..<spins { _ = Self.counter.load(ordering: .relaxed) }
        for _ in 0..<yields { giveWay() }
    }
}
