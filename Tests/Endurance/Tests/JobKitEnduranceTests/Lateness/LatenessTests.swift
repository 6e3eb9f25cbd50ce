import Testing

@testable import JobKit

/// Measures on simulated cores how late operations start and how many wake-ups that costs.
///
/// No real thread runs. Comments give the results of the previous rule if they differed. That rule
/// left up to 64 operations to the worker that added them. After a spurious wake-up, it left the
/// work to one worker until the next sample.
@Suite struct LatenessTests {
    typealias Line = SimulatedQueue.Line

    private static let tiny: SimulatedQueue.Work = .working(200)

    private static func repeated(_ count: Int, _ lines: [Line]) -> [Line] {
        Array(repeatElement(lines, count: count).joined())
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

    /// The limits of a run, in microseconds and in wake-ups for 100 operations.
    struct Limits {
        let cores: Int
        let p99: Double
        let calls: Double
    }

    struct Shape: CustomTestStringConvertible {
        let name: String
        var concurrencyLimit = Int.max
        let lines: [Line]
        let limits: [Limits]

        var testDescription: String { name }
    }

    private static let shapes = [
        // The three shapes for which the rule gives guarantees.
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
        // Before: 51.5 on both, because each operation waited for the one that had added it.
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
        // Before: 1,049.0 and 500.3, because operations behind the long one waited for a sample.
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
        // A few working operations on free cores.
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
        // Before: 25 wake-ups for 10 operations on 8 cores.
        Shape(
            name: "three of 10 µs every 50 µs",
            lines: repeated(500, [.pause(50_000), .add(.working(10_000), count: 3)])
                + [.waitForAll],
            limits: [Limits(cores: 2, p99: 100, calls: 50), Limits(cores: 8, p99: 100, calls: 80)]
        ),
        // A job that adds tasks in `main()`, quickly or less quickly.
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
        // A step's callback adds the next step, so one thread runs all steps.
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
            let queue = SimulatedQueue(
                cores: limits.cores,
                concurrencyLimit: shape.concurrencyLimit,
                shape.lines
            )
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
        var concurrencyLimit = Int.max
        /// The time beyond that of the work alone on the cores or permits, as a fraction.
        let share: Double

        var testDescription: String {
            "\(count) × \(work), "
                + (concurrencyLimit == .max ? "any width" : "width \(concurrencyLimit)")
        }
    }

    private static let loads = [
        Load(work: .working(10_000), count: 2_000, share: 0.17),
        Load(work: .working(100_000), count: 1_000, share: 0.025),
        Load(work: .working(1_000_000), count: 100, share: 0.01),
        Load(work: .blocking(4_000_000), count: 400, concurrencyLimit: 16, share: 0.03),
        Load(work: .blocking(4_000_000), count: 1_600, concurrencyLimit: 64, share: 0.05),
    ]

    /// While any operations are waiting, two cores or all permits are busy.
    @Test(arguments: loads) func placesAreBusy(_ load: Load) {
        let lines = [Line.add(load.work, count: load.count), .waitForAll]
        let queue = SimulatedQueue(cores: 2, concurrencyLimit: load.concurrencyLimit, lines)
        queue.run()
        let (length, actions) =
            switch load.work {
            case .working(let time): (time, 2)
            case .blocking(let time): (time, load.concurrencyLimit)
            case .addingAndWorking, .addingTinyOnes, .workingAndGoingOn: fatalError("no load")
            }
        let alone = Double(length) * Double(load.count) / Double(actions)
        let share = Double(queue.cores.now) / alone - 1
        let percent = Self.rounded(100 * share)
        print("\(load.testDescription): \(percent) % beyond the work, \(queue.callCount) calls")
        #expect(share <= load.share)
        #expect(queue.callCount <= (load.concurrencyLimit == .max ? 4 : load.concurrencyLimit + 4))
    }

    /// Blocked operations leave extra threads, which must not run later operations for long.
    @Test(arguments: [2, 8]) func threadsOfABurstThatBlockedAreGivenBack(cores: Int) {
        let burst = [Line.pause(8_000_000), .add(.working(100_000), count: 50), .waitForAll]
        let blocked = [Line.add(.blocking(4_000_000), count: 300), .waitForAll]
        let queue = SimulatedQueue(
            cores: cores,
            concurrencyLimit: 64,
            blocked + Self.repeated(50, burst)
        )
        queue.run()
        // 64 for the blocked operations, then about as many for each burst as there are cores.
        #expect(queue.callCount <= 64 + 60 + 50 * (cores + 2))
    }
}
