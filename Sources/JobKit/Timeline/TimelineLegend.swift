import Foundation

/// Says below the picture what its colours mean, and gives each type its own.
struct TimelineLegend {
    private struct Item {
        let style: String
        let text: String
        let x: Double
        let y: Double
    }

    private static let lineHeight = 20.0
    private static let pathStyle = "path"

    private var styles: [ObjectIdentifier: String] = [:]
    private var items: [Item] = []

    /// Where the picture may end.
    private(set) var bottom: Double

    init(of timeline: Timeline, jobs: [Bool], layout: TimelineLayout) {
        bottom = layout.plotBottom + 26
        addTypes(of: timeline, jobs: jobs, layout: layout)
        if jobs.contains(true) { add("job", "job", layout) }
        let words = Set(timeline.entries.lazy.map(\.outcomeWord))
        for word in ["failed", "cancelled", "running"] where words.contains(word) {
            add("t\(TimelineStyle.colourCount) \(word)", word, layout)
        }
        if !timeline.criticalPlaces.isEmpty { add(Self.pathStyle, "critical path", layout) }
    }

    /// The style of the bars of a type.
    func style(of type: Operation.Type) -> String {
        styles[ObjectIdentifier(type)] ?? "t\(TimelineStyle.colourCount)"
    }

    /// The legend's elements; no `rect`, for each of those is an entry.
    var svg: String {
        items.map { item in
            let (x, y) = (item.x.text(decimals: 1), item.y.text(decimals: 1))
            let sign =
                item.style == Self.pathStyle
                ? "<path class=\"path\" d=\"M\(x) \(y)h12\"/>"
                : "<circle class=\"\(item.style)\" cx=\"\((item.x + 6).text(decimals: 1))\" "
                    + "cy=\"\(y)\" r=\"5\"/>"
            return sign
                + TimelineStyle.text(item.text, x: item.x + 17, y: item.y + 4, style: "facts")
        }
        .joined()
    }

    private mutating func addTypes(of timeline: Timeline, jobs: [Bool], layout: TimelineLayout) {
        var counts: [ObjectIdentifier: (name: String, count: Int)] = [:]
        for (place, entry) in timeline.entries.enumerated() where !jobs[place] {
            let type = ObjectIdentifier(entry.type)
            counts[type, default: (String(describing: entry.type), 0)].count += 1
        }
        let ranked = counts.sorted { left, right in
            (right.value.count, left.value.name) < (left.value.count, right.value.name)
        }
        for (rank, (type, value)) in ranked.enumerated() {
            styles[type] = "t\(min(rank, TimelineStyle.colourCount))"
            if rank < TimelineStyle.colourCount {
                add("t\(rank)", "\(TimelineName.oneLine(value.name)) (\(value.count))", layout)
            }
        }
        let others = ranked.dropFirst(TimelineStyle.colourCount).map(\.value.count)
        if !others.isEmpty {
            let text = "\(others.count) further types (\(others.reduce(0, +)))"
            add("t\(TimelineStyle.colourCount)", text, layout)
        }
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
