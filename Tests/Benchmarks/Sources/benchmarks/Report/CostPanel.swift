/// A chart on logarithmic axes with the curves of a workload.
struct CostPanel: Sendable {
    private static let gridColor = "#d8dce2"
    private static let margin = 18.0

    /// The workload's name.
    let title: String
    /// The curves of the chart.
    let curves: [Curve]

    /// Returns the chart in a rectangle that begins at the origin.
    func svg(width: Double, height: Double) -> String {
        let points = curves.flatMap(\.points)
        let x = LogarithmicScale(around: points.map { Double($0.size) }, from: 62, to: width - 34)
        let y = LogarithmicScale(
            around: points.flatMap { [$0.cost.lowerQuartile, $0.cost.upperQuartile] },
            steps: [1, 2, 5],
            from: height - 34,
            to: 62
        )
        let title = SVGElement.text(
            title,
            at: (Self.margin, 22),
            attributes: "font-weight=\"bold\" font-size=\"14\""
        )
        let drawn = curves.enumerated().map { draw($1, beside: Double($0) * 5, x, y) }
        return title + legend + grid(x, y) + drawn.joined()
    }

    private var legend: String {
        let names = curves.enumerated()
            .map { index, curve in
                "<tspan dx=\"\(index == 0 ? 0 : 14)\" fill=\"\(curve.color)\">\(curve.name)</tspan>"
            }
        return SVGElement.text(
            names.joined(),
            at: (Self.margin, 44),
            attributes: "font-weight=\"bold\" font-size=\"11.5\""
        )
    }

    private func grid(_ x: LogarithmicScale, _ y: LogarithmicScale) -> String {
        let horizontal = y.ticks.map { tick in
            let height = y.position(of: tick)
            return SVGElement.line(
                from: (x.start, height),
                to: (x.end, height),
                color: Self.gridColor
            )
                + SVGElement.text(
                    Self.microseconds(tick),
                    at: (x.start - 7, height + 4),
                    anchor: "end"
                )
        }
        let vertical = x.ticks.map { tick in
            let place = x.position(of: tick)
            return SVGElement.line(
                from: (place, y.start),
                to: (place, y.end),
                color: Self.gridColor
            )
                + SVGElement.text(
                    NumberText.grouped(tick),
                    at: (place, y.start + 18),
                    anchor: "middle"
                )
        }
        return (horizontal + vertical).joined()
    }

    /// Draws a curve.
    ///
    /// Its spread is drawn slightly beside its points, so that those of other curves stay visible.
    private func draw(
        _ curve: Curve,
        beside offset: Double,
        _ x: LogarithmicScale,
        _ y: LogarithmicScale
    ) -> String {
        let points = curve.points.map { point in
            (x.position(of: Double(point.size)), y.position(of: point.cost.median))
        }
        let bars = curve.points.map { point in
            let x = x.position(of: Double(point.size)) + offset
            return SVGElement.line(
                from: (x, y.position(of: point.cost.lowerQuartile)),
                to: (x, y.position(of: point.cost.upperQuartile)),
                color: curve.color,
                width: 3
            )
        }
        return bars.joined() + SVGElement.path(through: points, color: curve.color)
            + points.map { SVGElement.dot(at: $0, color: curve.color) }.joined()
    }

    private static func microseconds(_ nanoseconds: Double) -> String {
        let value = nanoseconds / 1_000
        return (value < 1 ? NumberText.fixed(value, places: 1) : NumberText.grouped(value)) + " µs"
    }
}
