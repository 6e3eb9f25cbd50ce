/// One pair of logarithmic axes with the curves of a workload.
struct CostPanel {
    /// The workload's name.
    let title: String
    /// What is drawn.
    let curves: [Curve]

    /// The panel, in a rectangle that begins at the origin.
    func svg(width: Double, height: Double) -> String {
        let points = curves.flatMap(\.points)
        let x = LogarithmicScale(around: points.map { Double($0.size) }, from: 60, to: width - 30)
        let y = LogarithmicScale(
            around: points.flatMap { [$0.cost.minimum, $0.cost.maximum] },
            from: height - 45,
            to: 60
        )
        let title = text(self.title, x: x.start, y: 20, attributes: "font-weight=\"bold\"")
        let axes = horizontalLines(x, y) + verticalLines(x, y)
        return title + legend(from: x.start) + axes + curves.map { draw($0, x, y) }.joined()
    }

    private func legend(from start: Double) -> String {
        var x = start
        return
            curves.map { curve in
                defer { x += Double(curve.name.count) * 6 + 18 }
                return text(
                    curve.name,
                    x: x,
                    y: 42,
                    attributes: "fill=\"\(curve.color)\" font-size=\"11\""
                )
            }
            .joined()
    }

    private func horizontalLines(_ x: LogarithmicScale, _ y: LogarithmicScale) -> String {
        y.ticks
            .map { tick in
                line(from: (x.start, y.position(of: tick)), to: (x.end, y.position(of: tick)))
                    + text(
                        NumberText.grouped(tick) + " ns",
                        x: x.start - 6,
                        y: y.position(of: tick) + 4,
                        attributes: "text-anchor=\"end\" font-size=\"10\""
                    )
            }
            .joined()
    }

    private func verticalLines(_ x: LogarithmicScale, _ y: LogarithmicScale) -> String {
        x.ticks
            .map { tick in
                line(from: (x.position(of: tick), y.start), to: (x.position(of: tick), y.end))
                    + text(
                        NumberText.grouped(tick),
                        x: x.position(of: tick),
                        y: y.start + 16,
                        attributes: "text-anchor=\"middle\" font-size=\"10\""
                    )
            }
            .joined()
            + text(
                "number of tasks n; medians, bars from the fastest to the slowest round",
                x: (x.start + x.end) / 2,
                y: y.start + 34,
                attributes: "text-anchor=\"middle\" font-size=\"10\""
            )
    }

    private func draw(
        _ curve: Curve,
        _ x: LogarithmicScale,
        _ y: LogarithmicScale
    ) -> String {
        let points = curve.points.map { point in
            (x.position(of: Double(point.size)), y.position(of: point.cost.median))
        }
        let path = points.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
        let bars = curve.points.map { point in
            let x = x.position(of: Double(point.size))
            return line(
                from: (x, y.position(of: point.cost.minimum)),
                to: (x, y.position(of: point.cost.maximum)),
                color: curve.color
            )
        }
        let dots = points.map { point in
            "<circle cx=\"\(number(point.0))\" cy=\"\(number(point.1))\" r=\"3\" "
                + "fill=\"\(curve.color)\"/>\n"
        }
        return "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(curve.color)\" "
            + "stroke-width=\"2\"/>\n" + bars.joined() + dots.joined()
    }

    private func line(
        from start: (Double, Double),
        to end: (Double, Double),
        color: String = "#e5e7eb"
    ) -> String {
        "<line x1=\"\(number(start.0))\" y1=\"\(number(start.1))\" "
            + "x2=\"\(number(end.0))\" y2=\"\(number(end.1))\" stroke=\"\(color)\"/>\n"
    }

    private func text(_ text: String, x: Double, y: Double, attributes: String = "") -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" \(attributes)>\(text)</text>\n"
    }

    private func number(_ value: Double) -> String { NumberText.fixed(value, places: 1) }
}
