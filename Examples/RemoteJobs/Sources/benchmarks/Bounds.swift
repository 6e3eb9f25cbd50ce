/// Checks values against bounds and remembers whether all hold.
struct Bounds {
    private(set) var allHold = true

    mutating func check(_ name: String, _ value: Double, atLeast bound: Double) {
        say(name, value, value >= bound, "at least \(bound)")
    }

    mutating func check(_ name: String, _ value: Double, atMost bound: Double) {
        say(name, value, value <= bound, "at most \(bound)")
    }

    private mutating func say(_ name: String, _ value: Double, _ holds: Bool, _ bound: String) {
        allHold = allHold && holds
        let rounded = (value * 100).rounded() / 100
        print("\(name): \(rounded), \(bound): \(holds ? "holds" : "DOES NOT HOLD")")
    }
}
