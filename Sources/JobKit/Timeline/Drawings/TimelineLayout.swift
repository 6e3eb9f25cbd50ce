/// The positions at which the entries of a timeline are drawn, in points.
///
/// Each lane has one row for each level of nested jobs, and a last row for the bars of all other
/// entries. A job is a background from the row of its level down to the bottom of its lane. Rows
/// become smaller if there are many, so that the picture stays small enough to be viewed.
struct TimelineLayout {
    typealias Bar = (left: Double, top: Double, width: Double, height: Double)

    static let margin = 20.0
    static let plotTop = 76.0
    static let leastLabelledRow = 14.0

    let plotWidth: Double
    let rowHeight: Double
    private(set) var bars: [Bar] = []
    private(set) var plotHeight = 0.0

    private let scale: Double

    var width: Double { plotWidth + 2 * Self.margin }

    var plotBottom: Double { Self.plotTop + plotHeight }

    init(of facts: TimelineFacts) {
        let entries = facts.entries
        let levels = Self.levels(of: entries)
        var rowsOfLanes = Array(repeating: 1, count: facts.laneCount)
        for (index, entry) in entries.enumerated() {
            rowsOfLanes[entry.lane] = max(
                rowsOfLanes[entry.lane],
                levels[index] + (facts.isJob(index) ? 2 : 1)
            )
        }
        let rows = Double(rowsOfLanes.reduce(0, +))
        plotWidth = Self.plotWidth(of: entries, laneCount: facts.laneCount)
        rowHeight = Self.rowHeight(rows: max(rows, 1))
        scale = plotWidth / max(facts.span / .nanoseconds(1), 1)
        let laneGap = rowHeight * 0.18
        var tops: [Double] = []
        var top = Self.plotTop
        for rows in rowsOfLanes {
            tops.append(top)
            top += Double(rows) * rowHeight + laneGap
        }
        plotHeight = max(top - laneGap, Self.plotTop) - Self.plotTop
        bars = entries.indices.map { index in
            let entry = entries[index]
            let foot = tops[entry.lane] + Double(rowsOfLanes[entry.lane]) * rowHeight
            let left = position(of: entry.start)
            let width = max(position(of: entry.end) - left, 0)
            let inset = rowsOfLanes[entry.lane] > 1 ? min(2, rowHeight * 0.1) : 0
            // Each bar is wide enough to be seen, and a failure is wide enough to be noticed.
            let narrowest = entry.outcomeWord == "failed" ? 2.5 : 0.8
            let barTop =
                facts.isJob(index)
                ? tops[entry.lane] + Double(levels[index]) * rowHeight : foot - rowHeight + inset
            return (
                left: min(left, Self.margin + plotWidth - narrowest),
                top: barTop,
                width: max(width > 4 ? width - 0.6 : width, narrowest),
                height: foot - barTop - (facts.isJob(index) ? 0 : inset)
            )
        }
    }

    func position(of time: Duration) -> Double {
        Self.margin + (time / .nanoseconds(1)) * scale
    }

    /// Returns the height of a row, which is enough for names unless there are many rows.
    ///
    /// With more rows than a reader would scroll through, the picture becomes an overview.
    private static func rowHeight(rows: Double) -> Double {
        switch rows {
        case ...500: min(22, max(1_100 / rows, leastLabelledRow))
        default: max(7_000 / rows, min(2, 10_000 / rows))
        }
    }

    /// Returns a larger width for more entries in a lane, so that less zooming is necessary.
    private static func plotWidth(of entries: [Timeline.Entry], laneCount: Int) -> Double {
        var counts = Array(repeating: 0, count: laneCount)
        for entry in entries { counts[entry.lane] += 1 }
        return min(max(1_160, Double(counts.max() ?? 0) * 1.5), 2_960)
    }

    /// Returns the number of jobs of the same lane in which each entry is nested.
    private static func levels(of entries: [Timeline.Entry]) -> [Int] {
        var levels = Array(repeating: 0, count: entries.count)
        for (index, entry) in entries.enumerated() {
            guard let parent = entry.parent else { continue }
            let job = entries[parent]
            if job.lane == entry.lane, entry.end <= job.end {
                levels[index] = levels[parent] + 1
            }
        }
        return levels
    }
}
