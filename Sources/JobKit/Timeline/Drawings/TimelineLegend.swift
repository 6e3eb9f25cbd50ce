/// Says below the picture what its colours mean, and gives each group its own.
struct TimelineLegend {
    /// The legend's elements; no `rect`, for each of those is an entry.
    private(set) var svg = ""

    private static let lineHeight = 20.0

    private var styles: [String: String] = [:]
    /// Where the next item begins.
    private var x = TimelineLayout.margin

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
        if !facts.path.isEmpty { add("path", "critical path", layout, isLine: true) }
        if facts.ownTimes.contains(where: { $0 != nil }) {
            add("own", "job after its last task", layout, isLine: true)
        }
    }

    /// The style of the bars of a group.
    func style(of groupName: String) -> String {
        styles[groupName] ?? "t\(TimelineStyle.colourCount)"
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
    private mutating func add(
        _ style: String,
        _ text: String,
        _ layout: TimelineLayout,
        isLine: Bool = false
    ) {
        let width = TimelineStyle.width(of: text) * 1.1 + 40
        if x + width > layout.width, !svg.isEmpty {
            x = TimelineLayout.margin
            bottom += Self.lineHeight
        }
        let y = bottom.text(decimals: 1)
        svg +=
            isLine
            ? "<path class=\"\(style)\" d=\"M\(x.text(decimals: 1)) \(y)h12\"/>"
            : "<circle class=\"\(style)\" cx=\"\((x + 6).text(decimals: 1))\" cy=\"\(y)\" r=\"5\"/>"
        svg += TimelineStyle.text(text, x: x + 17, y: bottom + 4, style: "facts")
        x += width
    }
}
