#if canImport(os)
import os
#endif

/// Intervals in Instruments, all with the same name.
///
/// Does nothing on non-Apple platforms.
struct SignpostIntervals: Sendable {
    #if canImport(os)
    private let name: StaticString
    private let signposter: OSSignposter

    init(name: StaticString, subsystem: String, category: String? = nil) {
        self.name = name
        // Without a category, Points of Interest are used, which Instruments shows by default.
        signposter =
            category.map { OSSignposter(subsystem: subsystem, category: $0) }
            ?? OSSignposter(subsystem: subsystem, category: .pointsOfInterest)
    }

    /// Whether Instruments records the intervals.
    var isEnabled: Bool { signposter.isEnabled }

    /// Begins an interval, identified by the operation's number in events.
    ///
    /// The label is created only while Instruments records.
    func begin(_ number: Int, label: @autoclosure () -> String) {
        guard isEnabled else { return }
        let label = label()
        _ = signposter.beginInterval(name, id: id(number), "\(label, privacy: .public)")
    }

    /// Ends an interval, on any thread.
    func end(_ number: Int, as outcome: @autoclosure () -> String) {
        guard isEnabled else { return }
        let outcome = outcome()
        let state = OSSignpostIntervalState.beginState(id: id(number))
        signposter.endInterval(name, state, "\(outcome, privacy: .public)")
    }

    private func id(_ number: Int) -> OSSignpostID { OSSignpostID(UInt64(number)) }
    #else
    init(name: StaticString, subsystem: String) {}
    func begin(_ number: Int, label: @autoclosure () -> String) {}
    func end(_ number: Int, as outcome: @autoclosure () -> String) {}
    #endif
}
