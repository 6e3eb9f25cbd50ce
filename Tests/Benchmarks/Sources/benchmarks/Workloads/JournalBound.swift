/// A figure of a journal or its disk, usually with a promised limit and a lower aim.
struct JournalBound: Sendable {
    let work: String
    let unit: String
    let places: Int
    /// Nil if the figure is that of the disk or of the encoder.
    var limits: Limits?

    enum Limits: Sendable {
        case atMost(Double, aim: Double)
        case atLeast(Double, aim: Double)
    }

    /// The rows of the table, in the order in which ``JournalCosts`` measures them.
    static let all = journal + outbox

    /// The rows in the order in which ``OutboxCosts`` measures them.
    static let outbox = [
        JournalBound(
            work: "outbox: adds a second",
            unit: "",
            places: 0,
            limits: .atLeast(50_000, aim: 150_000)
        ),
        JournalBound(
            work: "outbox: 1,000 items and flush, powerLoss, against a sync of the same bytes",
            unit: "×",
            places: 2,
            limits: .atMost(1.5, aim: 1.2)
        ),
        JournalBound(
            work: "outbox: JSONEncoder alone for 1,000 items, against the same sync",
            unit: "×",
            places: 2
        ),
        JournalBound(
            work: "outbox: entries a second that are added, performed and leave",
            unit: "",
            places: 0,
            limits: .atLeast(20_000, aim: 30_000)
        ),
        JournalBound(
            work: "outbox: opening until the first entry begins",
            unit: "s",
            places: 3,
            limits: .atMost(0.5, aim: 0.2)
        ),
        JournalBound(
            work: "outbox: memory for each waiting entry with 100 keys",
            unit: "B",
            places: 0,
            limits: .atMost(300, aim: 200)
        ),
        JournalBound(
            work: "outbox: turns of 1,000 keys beside a key with 10,000 entries",
            unit: "×",
            places: 2,
            limits: .atMost(1.5, aim: 1.1)
        ),
    ]

    private static let journal = [
        JournalBound(work: "the disk: append of 200 bytes", unit: "µs", places: 2),
        JournalBound(work: "the disk: sync after 512 bytes", unit: "µs", places: 0),
        JournalBound(
            work: "processor time of a durable step beyond its AsyncOperation",
            unit: "µs",
            places: 1,
            limits: .atMost(15, aim: 8)
        ),
        JournalBound(
            work: "steps a second, processCrash",
            unit: "",
            places: 0,
            limits: .atLeast(40_000, aim: 80_000)
        ),
        JournalBound(
            work: "steps a second, powerLoss, 512 in flight",
            unit: "",
            places: 0,
            limits: .atLeast(20_000, aim: 40_000)
        ),
        JournalBound(
            work: "one step alone, powerLoss, against a sync of the same bytes",
            unit: "×",
            places: 2,
            limits: .atMost(2, aim: 1.3)
        ),
        JournalBound(
            work: "opening the journal and going on",
            unit: "s",
            places: 3,
            limits: .atMost(1, aim: 0.4)
        ),
        JournalBound(
            work: "memory for each known record",
            unit: "B",
            places: 0,
            limits: .atMost(200, aim: 100)
        ),
        JournalBound(work: "the file, for each step", unit: "B", places: 0),
    ]

    func verdict(_ value: Double) -> Verdict {
        switch limits {
        case .atMost(_, let aim) where value <= aim: .aimReached
        case .atLeast(_, let aim) where value >= aim: .aimReached
        case .atMost(let bound, _): value <= bound ? .withinBound : .broken
        case .atLeast(let bound, _): value >= bound ? .withinBound : .broken
        case nil: .comparison
        }
    }

    /// Returns the row of a table.
    func cells(_ measured: Summary) -> [String] {
        let (bound, aim) =
            switch limits {
            case .atMost(let bound, let aim): ("at most \(text(bound))", text(aim))
            case .atLeast(let bound, let aim): ("at least \(text(bound))", text(aim))
            case nil: ("–", "–")
            }
        return [
            work, text(measured.median), "\(text(measured.minimum)) … \(text(measured.maximum))",
            bound, aim, verdict(measured.median).rawValue,
        ]
    }

    private func text(_ value: Double) -> String {
        let number =
            places == 0 ? NumberText.grouped(value) : NumberText.fixed(value, places: places)
        return unit.isEmpty ? number : "\(number) \(unit)"
    }
}
