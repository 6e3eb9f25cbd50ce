/// Writes the SVG elements that the plot needs.
enum SVGElement {
    /// A straight line.
    static func line(
        from start: (Double, Double),
        to end: (Double, Double),
        color: String,
        width: Double = 1
    ) -> String {
        "<line x1=\"\(number(start.0))\" y1=\"\(number(start.1))\" "
            + "x2=\"\(number(end.0))\" y2=\"\(number(end.1))\" stroke=\"\(color)\" "
            + "stroke-width=\"\(number(width))\"/>\n"
    }

    /// A line through several points.
    static func path(through points: [(Double, Double)], color: String) -> String {
        let points = points.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
        return "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(color)\" "
            + "stroke-width=\"2\"/>\n"
    }

    /// A point.
    static func dot(at point: (Double, Double), color: String) -> String {
        "<circle cx=\"\(number(point.0))\" cy=\"\(number(point.1))\" r=\"3.5\" "
            + "fill=\"\(color)\"/>\n"
    }

    /// Returns a text element.
    ///
    /// The text must not contain characters that XML reserves.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - point: The anchor point on the base line.
    ///   - anchor: The part of the text at the anchor point: `start`, `middle` or `end`.
    ///   - attributes: Further attributes.
    /// - Returns: The element.
    static func text(
        _ text: String,
        at point: (Double, Double),
        anchor: String = "start",
        attributes: String = ""
    ) -> String {
        "<text x=\"\(number(point.0))\" y=\"\(number(point.1))\" "
            + "text-anchor=\"\(anchor)\" \(attributes)>\(text)</text>\n"
    }

    /// Groups elements and moves them together.
    static func group(movedBy offset: (Double, Double), _ content: String) -> String {
        "<g transform=\"translate(\(number(offset.0)) \(number(offset.1)))\">\n\(content)</g>\n"
    }

    private static func number(_ value: Double) -> String { NumberText.fixed(value, places: 1) }
}
