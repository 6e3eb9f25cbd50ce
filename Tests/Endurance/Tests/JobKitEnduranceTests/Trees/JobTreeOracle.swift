/// The recorded events of one job in a random tree, in order.
enum StressEvent: Equatable {
    case main
    /// A callback tracks a task of a group.
    case tracked(Int, group: String)
    case asked(Int, answer: Answer)
    case delivered(Int)
    case group(String)
    case all
    /// A delayed closure of the job.
    case delayed
    /// The job's call of `finish()`, `finish(with:)` or `cancel()` has an effect.
    case ending
    case cancelled

    enum Answer { case failJob, carryOn }
}

/// Checks a job's events against J1, J2, J4, J5, J7, J8 and J9.
///
/// It complains about the first event that is not allowed.
struct JobTreeOracle {
    /// Whether another thread or a timeout may end the job outside its callbacks.
    var mayEndUnseen = false
    private var open: [Int: String] = [:]
    private var seen: Set<Int> = []
    private var due: String?
    private var asked: Int?
    private var wasToldAll = false
    private var isEnding = false
    private var last: StressEvent?

    /// Returns a violation in the events of a finished job, or nil if there is none.
    mutating func complaint(about events: [StressEvent], outcome: StressOutcome) -> String? {
        guard let first = events.first else {
            let isAllowed = outcome == .cancelled || (mayEndUnseen && outcome != .none)
            return isAllowed ? nil : "O4: \(outcome) without main()"
        }
        guard first == .main else { return "J1: a callback before main()" }
        last = first
        for event in events.dropFirst() {
            if let complaint = complaint(about: event, outcome) {
                return "\(complaint) at \(event)"
            }
            last = event
        }
        return complaint(aboutEnd: outcome)
    }

    private mutating func complaint(
        about event: StressEvent,
        _ outcome: StressOutcome
    ) -> String? {
        if last == .cancelled, !event.isInsideACallback { return "J8: a callback after the last" }
        switch event {
        case .main:
            return "main() again"
        case .tracked(let task, let group):
            guard seen.insert(task).inserted else { return "a number twice" }
            open[task] = group
            wasToldAll = false
            return nil
        case .ending:
            isEnding = true
            return nil
        case .cancelled:
            return outcome == .cancelled ? nil : "J8: told of a cancel, but \(outcome)"
        case .asked, .delivered, .group, .all, .delayed:
            guard !isEnding else { return "J8, J9: a callback after the end" }
            // A delayed closure may have run before the job could finish.
            if wasToldAll, event != .delayed { return "J4: goes on after the end" }
            return complaint(aboutStep: event)
        }
    }

    private mutating func complaint(aboutStep event: StressEvent) -> String? {
        // The event that must come next if the job continues.
        if let group = due {
            due = nil
            if !open.values.contains(group) {
                return event == .group(group) ? nil : "J2: group \(group) is due"
            }
        }
        if case .group = last, open.isEmpty, event != .all { return "J2: all is due" }
        if let task = asked {
            asked = nil
            guard event == .delivered(task) else { return "J7: \(task) is due" }
        }
        switch event {
        case .asked(let task, let answer):
            guard open[task] != nil else { return "J5: not open" }
            if answer == .failJob { isEnding = true } else { asked = task }
        case .delivered(let task):
            guard let group = open.removeValue(forKey: task) else { return "J5: not open" }
            due = group
        case .group:
            return "J2: a group that is not due"
        case .all:
            guard open.isEmpty else { return "J2: \(open.count) tasks are left" }
            wasToldAll = true
        case .delayed:
            return nil
        default:
            return nil
        }
        return nil
    }

    private func complaint(aboutEnd outcome: StressOutcome) -> String? {
        switch outcome {
        case .succeeded where mayEndUnseen, .failed where mayEndUnseen,
            .cancelled where mayEndUnseen:
            return nil
        case .succeeded where !isEnding:
            return wasToldAll && open.isEmpty ? nil : "J4: finished too early"
        case .cancelled:
            return last == .cancelled ? nil : "J8: not told of its cancel"
        case .failed:
            return isEnding ? nil : "J7: failed for no reason"
        case .succeeded:
            return nil
        case .none:
            return "has not finished"
        }
    }
}

/// An outcome that can be compared.
enum StressOutcome: Equatable { case succeeded, failed, cancelled, none }

extension StressEvent {
    /// Whether the event is recorded inside a callback and is not the callback itself.
    fileprivate var isInsideACallback: Bool {
        switch self {
        case .tracked, .ending: true
        default: false
        }
    }
}
