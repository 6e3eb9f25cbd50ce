import Testing

@testable import JobKit

/// How late operations start on simulated cores, and what that costs in calls: no thread runs.
///
/// What the rule before this one did is given where it differed. It left up to 64 operations to the
/// worker that added them, and after a call in vain to one worker until the next look.
@Suite struct LatenessTests {
    typealias Line = SimulatedQueue.Line

    private static let tiny: SimulatedQueue.Work = .working(200)

    private static func repeated(_ count: Int, _ lines: [Line]) -> [Line] {
        Array(repeatElement(lines, count: count).joined())
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

    /// What a run has to show, in microseconds and calls for 100 operations.
    struct Limits {
        let cores: Int
        let p99: Double
        let calls: Double
    }

    struct Shape: CustomTestStringConvertible {
        let name: String
        var width = Int.max
        let lines: [Line]
        let limits: [Limits]

        var testDescription: String { name }
    }

    private static let shapes = [
        // The three shapes of the promise.
        Shape(
            name: "50 tiny, one of 10 ms, 50 tiny",
            lines: repeated(
                40,
                [
                    .add(tiny, count: 50, isCounted: false),
                    .add(.working(10_000_000), isCounted: false), .add(tiny, count: 50),
                    .waitForAll,
                ]
            ),
            limits: [Limits(cores: 2, p99: 80, calls: 2), Limits(cores: 8, p99: 80, calls: 8)]
        ),
        // Before: 51.5 on both; each operation waited for the one that had added it.
        Shape(
            name: "each adds another and works on for 50 µs",
            lines: [.add(.addingAndWorking(50_000, count: 1_000)), .waitForAll],
            limits: [Limits(cores: 2, p99: 40, calls: 1), Limits(cores: 8, p99: 20, calls: 2)]
        ),
        // Before: 75.6 on 8 cores.
        Shape(
            name: "50 tiny after a pause",
            lines: repeated(40, [.pause(2_000_000), .add(tiny, count: 50), .waitForAll]),
            limits: [Limits(cores: 2, p99: 80, calls: 4), Limits(cores: 8, p99: 80, calls: 20)]
        ),
        // Before: 1,049.0 and 500.3; what came behind the long one waited for a look.
        Shape(
            name: "a tiny one every 4 µs, one of 1 ms, 5 tiny",
            lines: repeated(
                20,
                repeated(100, [.add(tiny, isCounted: false), .pause(4_000)])
                    + [.add(.working(1_000_000), isCounted: false), .add(tiny, count: 5)]
                    + [.waitForAll]
            ),
            limits: [Limits(cores: 2, p99: 120, calls: 20), Limits(cores: 8, p99: 120, calls: 30)]
        ),
        // A few that work, on cores that are free.
        Shape(
            name: "two of 100 µs after a pause",
            lines: repeated(
                100,
                [.pause(300_000), .add(.working(100_000), count: 2), .waitForAll]
            ),
            limits: [Limits(cores: 2, p99: 80, calls: 100), Limits(cores: 8, p99: 80, calls: 150)]
        ),
        Shape(
            name: "two of 1 ms after a pause",
            lines: repeated(
                100,
                [.pause(300_000), .add(.working(1_000_000), count: 2), .waitForAll]
            ),
            limits: [Limits(cores: 2, p99: 80, calls: 100), Limits(cores: 8, p99: 80, calls: 150)]
        ),
        // Before: 25 calls for 10 operations on 8 cores.
        Shape(
            name: "three of 10 µs every 50 µs",
            lines: repeated(500, [.pause(50_000), .add(.working(10_000), count: 3)])
                + [.waitForAll],
            limits: [Limits(cores: 2, p99: 100, calls: 50), Limits(cores: 8, p99: 100, calls: 80)]
        ),
        // A job whose `main()` adds tasks, quickly and less quickly.
        Shape(
            name: "an operation that adds 4,000 tiny ones",
            lines: [.add(.addingTinyOnes(0, count: 4_000)), .waitForAll],
            limits: [Limits(cores: 2, p99: 600, calls: 1), Limits(cores: 8, p99: 100, calls: 1)]
        ),
        Shape(
            name: "an operation that adds a tiny one every 2 µs",
            lines: [.add(.addingTinyOnes(2_000, count: 4_000)), .waitForAll],
            limits: [Limits(cores: 2, p99: 600, calls: 1), Limits(cores: 8, p99: 100, calls: 1)]
        ),
        // A step's callback adds the next: one thread goes from step to step.
        Shape(
            name: "steps",
            lines: [.add(.workingAndGoingOn(200, count: 2_000)), .waitForAll],
            limits: [Limits(cores: 2, p99: 3, calls: 0.3), Limits(cores: 8, p99: 3, calls: 0.3)]
        ),
        Shape(
            name: "steps of 50 µs",
            lines: [.add(.workingAndGoingOn(50_000, count: 1_000)), .waitForAll],
            limits: [Limits(cores: 2, p99: 3, calls: 0.3), Limits(cores: 8, p99: 3, calls: 0.3)]
        ),
        Shape(
            name: "4,000 tiny",
            lines: [.add(tiny, count: 4_000), .waitForAll],
            limits: [Limits(cores: 2, p99: 400, calls: 0.3), Limits(cores: 8, p99: 40, calls: 0.3)]
        ),
    ]

    @Test(arguments: shapes) func operationsStartSoon(_ shape: Shape) {
        for limits in shape.limits {
            let queue = SimulatedQueue(cores: limits.cores, width: shape.width, shape.lines)
            queue.run()
            let p99 = Double(queue.lateness(0.99)) / 1e3
            let calls = Double(queue.callCount) / Double(queue.startCount) * 100
            print(
                "\(shape.name), \(limits.cores) cores: p99 \(Self.rounded(p99)) µs, "
                    + "\(Self.rounded(calls)) calls for 100"
            )
            #expect(p99 <= limits.p99)
            #expect(calls <= limits.calls)
        }
    }

    struct Load: CustomTestStringConvertible {
        let work: SimulatedQueue.Work
        let count: Int
        var width = Int.max
        /// Beyond what the cores, or the places, take for the work alone.
        let share: Double

        var testDescription: String {
            "\(count) × \(work), " + (width == .max ? "any width" : "width \(width)")
        }
    }

    private static let loads = [
        Load(work: .working(10_000), count: 2_000, share: 0.17),
        Load(work: .working(100_000), count: 1_000, share: 0.025),
        Load(work: .working(1_000_000), count: 100, share: 0.01),
        Load(work: .blocking(4_000_000), count: 400, width: 16, share: 0.03),
        Load(work: .blocking(4_000_000), count: 1_600, width: 64, share: 0.05),
    ]

    /// Whatever the operations are, two cores or all places are busy as long as there are some.
    @Test(arguments: loads) func placesAreBusy(_ load: Load) {
        let lines = [Line.add(load.work, count: load.count), .waitForAll]
        let queue = SimulatedQueue(cores: 2, width: load.width, lines)
        queue.run()
        let (length, places) =
            switch load.work {
            case .working(let time): (time, 2)
            case .blocking(let time): (time, load.width)
            case .addingAndWorking, .addingTinyOnes, .workingAndGoingOn: fatalError("no load")
            }
        let alone = Double(length) * Double(load.count) / Double(places)
        let share = Double(queue.cores.now) / alone - 1
        let percent = Self.rounded(100 * share)
        print("\(load.testDescription): \(percent) % beyond the work, \(queue.callCount) calls")
        #expect(share <= load.share)
        #expect(queue.callCount <= (load.width == .max ? 4 : load.width + 4))
    }

    /// Operations that blocked leave threads: those that work after them do not get them for long.
    @Test(arguments: [2, 8]) func threadsOfABurstThatBlockedAreGivenBack(cores: Int) {
        let burst = [Line.pause(8_000_000), .add(.working(100_000), count: 50), .waitForAll]
        let blocked = [Line.add(.blocking(4_000_000), count: 300), .waitForAll]
        let queue = SimulatedQueue(cores: cores, width: 64, blocked + Self.repeated(50, burst))
        queue.run()
        // 64 for those that block, and then about as many for each burst as there are cores.
        #expect(queue.callCount <= 64 + 60 + 50 * (cores + 2))
    }
}
