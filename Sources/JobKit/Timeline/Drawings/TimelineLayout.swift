/// The positions at which the entries of a timeline are drawn, in points.
///
/// Each lane is a row. Rows become smaller if there are many, so that the picture stays small
/// enough to be viewed.
struct TimelineLayout {
    typealias Bar = (left: Double, top: Double, width: Double, height: Double)

    static let margin = 20.0
    static let plotTop = 76.0
    static let leastLabelledRow = 14.0

    let plotWidth: Double
    let plotBottom: Double
    let rowHeight: Double
    private(set) var bars: [Bar] = []

    private let scale: Double

    var width: Double { plotWidth + 2 * Self.margin }

    init(of facts: TimelineFacts) {
        let rows = Double(max(facts.laneCount, 1))
        // A reader scrolls through 500 rows with names. A picture with more rows is an overview.
        rowHeight =
            rows <= 500
            ? min(26, max(1_300 / rows, Self.leastLabelledRow))
            : max(7_000 / rows, min(2, 10_000 / rows))
        plotBottom = Self.plotTop + rows * rowHeight
        // More entries in a lane need more width, so that less zooming is necessary.
        plotWidth = min(max(1_160, Double(facts.entries.count) / rows * 3), 2_960)
        scale = plotWidth / Double(max(facts.span, 1))
        bars = facts.entries.map { entry in
            // Each bar is wide enough to be seen, and a failure is wide enough to be noticed.
            let narrowest = entry.outcomeWord == "failed" ? 2.5 : 0.8
            let left = position(of: entry.startTime)
            return (
                left: min(left, Self.margin + plotWidth - narrowest),
                top: Self.plotTop + Double(entry.lane) * rowHeight,
                width: max(position(of: entry.endTime) - left - 0.6, narrowest),
                height: rowHeight * 0.85
            )
        }
    }

    /// Returns the horizontal position of a time in nanoseconds.
    func position(of time: Int64) -> Double { Self.margin + Double(time) * scale }
}
