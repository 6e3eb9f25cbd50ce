/// A value that most of its owners do not have, which takes only one word if there is none.
struct Rare<Value> {
    /// At most one element, which is changed in place.
    private var stored: [Value] = []

    init() {}

    init(_ value: Value) { stored = [value] }

    @inline(__always)
    var isNone: Bool { stored.isEmpty }

    /// The value, or nil if there is none.
    var value: Value? { stored.first }

    /// Reads the value without copying it, or returns nil if there is none.
    @inline(__always)
    func read<Result>(_ body: (borrowing Value) -> Result) -> Result? {
        stored.isEmpty ? nil : body(stored[0])
    }

    /// Changes the value, or returns nil if there is none.
    @inline(__always)
    mutating func change<Result>(_ body: (inout Value) -> Result) -> Result? {
        stored.isEmpty ? nil : body(&stored[0])
    }

    /// Changes the value, which is created first if there is none.
    @inline(__always)
    mutating func change<Result>(
        orMake make: @autoclosure () -> Value,
        _ body: (inout Value) -> Result
    ) -> Result {
        if stored.isEmpty { stored = [make()] }
        return body(&stored[0])
    }
}

extension Rare: Sendable where Value: Sendable {}
