/// Says below the picture what its colours mean, and gives each group its own.
struct TimelineLegend {
    private struct Item {
        let style: String
        let text: String
        let x: Double
        let y: Double
    }

    private static let lineHeight = 20.0
    private static let pathStyle = "path"
    private static let ownTimeStyle = "own"

    private var styles: [String: String] = [:]
    private var items: [Item] = []

    /// Where the picture may end.
    private(set) var bottom: Double

    init(of facts: TimelineFacts, layout: TimelineLayout) {
        bottom = layout.plotBottom + 26
        addGroups(facts.groups, layout: layout)
        if facts.tasks.contains(where: { !$0.isEmpty }) { add("job", "job", layout) }
        let words = Set(facts.entries.map(\.outcomeWord))
        for word in ["failed", "cancelled", "running"] where words.contains(word) {
            add("t\(TimelineStyle.colourCount) \(word)", word, layout)
        }
        if !facts.path.isEmpty { add(Self.pathStyle, "critical path", layout) }
        if facts.ownTimes.contains(where: { $0 != nil }) {
            add(Self.ownTimeStyle, "job after its last task", layout)
        }
    }

    /// The style of the bars of a group.
    func style(of groupName: String) -> String {
        styles[groupName] ?? "t\(TimelineStyle.colourCount)"
    }

    /// The legend's elements; no `rect`, for each of those is an entry.
    var svg: String {
        items.map { item in
            let (x, y) = (item.x.text(decimals: 1), item.y.text(decimals: 1))
            let sign =
                [Self.pathStyle, Self.ownTimeStyle].contains(item.style)
                ? "<path class=\"\(item.style)\" d=\"M\(x) \(y)h12\"/>"
                : "<circle class=\"\(item.style)\" cx=\"\((item.x + 6).text(decimals: 1))\" "
                    + "cy=\"\(y)\" r=\"5\"/>"
            return sign
                + TimelineStyle.text(item.text, x: item.x + 17, y: item.y + 4, style: "facts")
        }
        .joined()
    }

    private mutating func addGroups(_ groups: [Timeline.Group], layout: TimelineLayout) {
        for (rank, group) in groups.enumerated() {
            styles[group.name] = "t\(min(rank, TimelineStyle.colourCount))"
            if rank < TimelineStyle.colourCount {
                add("t\(rank)", "\(TimelineName.oneLine(group.name)) (\(group.facts))", layout)
            }
        }
        let others = groups.dropFirst(TimelineStyle.colourCount)
        guard !others.isEmpty else { return }
        let sum = Timeline.Group(
            name: "",
            taskCount: others.reduce(0) { $0 + $1.taskCount },
            duration: others.reduce(.zero) { $0 + $1.duration }
        )
        add(
            "t\(TimelineStyle.colourCount)",
            "\(others.count) further groups (\(sum.facts))",
            layout
        )
    }

    /// Sets an item behind the last, or in a new line where it does not fit.
    private mutating func add(_ style: String, _ text: String, _ layout: TimelineLayout) {
        let width = TimelineStyle.width(of: text) * 1.1 + 40
        var (x, y) = (TimelineLayout.margin, bottom)
        if let last = items.last {
            x = last.x + TimelineStyle.width(of: last.text) * 1.1 + 40
            if x + width > layout.width {
                x = TimelineLayout.margin
                y += Self.lineHeight
            }
        }
        bottom = y
        items.append(Item(style: style, text: text, x: x, y: y))
    }
}
