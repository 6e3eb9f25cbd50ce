/// The legend below the picture, which also gives each group its colour.
struct TimelineLegend {
    /// The SVG elements of the legend.
    ///
    /// None of them is a `rect`, because each `rect` is an entry.
    private(set) var svg = ""

    private static let lineHeight = 20.0
    /// The common style of the groups without their own colours.
    private static let otherStyle = "t\(TimelineStyle.colourCount)"

    private let layout: TimelineLayout
    private var styles: [String: String] = [:]
    /// The horizontal position of the next item.
    private var x = TimelineLayout.margin

    /// The vertical position of the last line.
    private(set) var bottom: Double

    init(of facts: TimelineFacts, layout: TimelineLayout) {
        self.layout = layout
        bottom = layout.plotBottom + 26
        let drawn = facts.entries.indices.filter { !facts.isJob($0) }
        let names = Set(drawn.map { facts.entries[$0].groupName })
        let groups = facts.groups.filter { names.contains($0.name) }
        for (rank, group) in groups.prefix(TimelineStyle.colourCount).enumerated() {
            styles[group.name] = "t\(rank)"
            add("t\(rank)", "\(group.name.oneLine) (\(group.facts))")
        }
        let otherCount = groups.count - TimelineStyle.colourCount
        if otherCount > 0 { add(Self.otherStyle, otherCount.counting("other group")) }
        if facts.tasks.contains(where: { !$0.isEmpty }) { add("job", "job") }
        for word in ["failed", "cancelled", "running"] {
            let count = drawn.count { facts.entries[$0].outcomeWord == word }
            if count > 0 { add("\(Self.otherStyle) \(word)", "\(count) \(word)") }
        }
        let length = facts.path.count
        if length > 0 { add("path", "critical path of \(length)", isLine: true) }
    }

    /// Returns the style of a group's bars.
    func style(of groupName: String) -> String { styles[groupName] ?? Self.otherStyle }

    /// Adds an item to the last line, or to a new one if it does not fit.
    private mutating func add(_ style: String, _ text: String, isLine: Bool = false) {
        // Letters are seldom wider than 8 points.
        let width = Double(text.count) * 8 + 30
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
