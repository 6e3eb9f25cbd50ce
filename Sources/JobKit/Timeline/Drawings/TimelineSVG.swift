extension Timeline {
    /// Draws the timeline as an SVG picture for a browser or a document.
    ///
    /// Each entry is one bar in the colour of its group. The bar is solid if the entry succeeded,
    /// red if it failed, grey if it was cancelled, and pale if it is still running. Jobs have light
    /// bars. A dark line underlines the ``criticalPath``. A bar shows as much of its name as fits.
    /// Hovering over the bar shows the whole name, times, type, group, job and error. The legend
    /// gives the number of tasks of each group and their total time. The picture has a dark mode.
    ///
    /// - Returns: A complete SVG 1.1 document without scripts or references. It has about 250 bytes
    ///   for each entry. Characters that XML forbids are shown as pictures.
    public func svg() -> String {
        TimelineSVG(of: TimelineFacts(of: self)).text
    }
}

/// The picture of a timeline.
private struct TimelineSVG {
    private let facts: TimelineFacts
    private let layout: TimelineLayout
    private let legend: TimelineLegend

    private var entries: [Timeline.Entry] { facts.entries }

    /// The number of bars in each SVG group.
    ///
    /// Chromium takes a time that is quadratic in the number of sibling titles.
    private static let barsOfGroup = 200

    init(of facts: TimelineFacts) {
        self.facts = facts
        layout = TimelineLayout(of: facts)
        legend = TimelineLegend(of: facts, layout: layout)
    }

    var text: String {
        var svg = opening + TimelineStyle.sheet + heading + axis
        // Each bar is drawn after the next one of its lane, which could hide a narrow failure.
        for (number, index) in entries.indices.reversed().enumerated() {
            if number.isMultiple(of: Self.barsOfGroup) { svg += number == 0 ? "<g>" : "</g>\n<g>" }
            svg += bar(index)
        }
        if !entries.isEmpty { svg += "</g>\n" }
        svg += criticalPath
        for index in entries.indices { svg += label(of: index) }
        return svg + legend.svg + "</svg>\n"
    }

    private var opening: String {
        let width = layout.width.text(decimals: 0)
        let height = (legend.bottom + TimelineLayout.margin).text(decimals: 0)
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
            + "viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\">\n"
    }

    private var heading: String {
        let title = facts.root.map { $0.name.oneLine } ?? "Nothing was recorded"
        let jobCount = facts.tasks.count { !$0.isEmpty }
        let tasks = (entries.count - jobCount).counting("task")
        let span = Duration.nanoseconds(facts.span).shortText
        var parts = [span, "\(tasks) in \(jobCount.counting("job"))"]
        if facts.omittedCount > 0 { parts.append("\(facts.omittedCount) more not recorded") }
        return TimelineStyle.text(title, x: 20, y: 30, style: "title")
            + TimelineStyle.text(parts.joined(separator: " · "), x: 20, y: 48, style: "facts")
    }

    private var axis: String {
        let unit = TimelineUnit.of(facts.span, atLeast: 10)
        let step = unit.step(of: facts.span, count: Int(layout.plotWidth / 100))
        let (top, bottom) = (TimelineLayout.plotTop - 6, layout.plotBottom + 4)
        var grid = "<path class=\"grid\" d=\""
        var labels = ""
        let end = Double(facts.span) / Double(unit.nanoseconds)
        for value in stride(from: 0, through: end * (1 + 1e-9), by: step) {
            let x = layout.position(of: Int64(value * Double(unit.nanoseconds)))
            grid += "M\(x.text(decimals: 1)) \(top)V\(bottom.text(decimals: 1))"
            let label = "\(value.text(decimals: 3)) \(unit.symbol)"
            // The first and the last label stay in the picture.
            let isLast = x > layout.width - 60
            let (labelX, style) = isLast ? (x - 3, "tick end") : (x + 3, "tick")
            labels += TimelineStyle.text(label, x: labelX, y: top - 2, style: style)
        }
        return grid + "\"/>\n" + labels
    }

    private func bar(_ index: Int) -> String {
        let (entry, bar) = (entries[index], layout.bars[index])
        var style = facts.isJob(index) ? "job" : legend.style(of: entry.groupName)
        if entry.outcomeWord != "succeeded" { style += " " + entry.outcomeWord }
        return "<rect class=\"\(style)\" x=\"\(bar.left.text(decimals: 2))\" "
            + "y=\"\(bar.top.text(decimals: 2))\" width=\"\(bar.width.text(decimals: 2))\" "
            + "height=\"\(bar.height.text(decimals: 2))\"><title>\(tip(of: index))</title></rect>\n"
    }

    private func tip(of index: Int) -> String {
        let entry = entries[index]
        var tip = entry.name.xmlText
        tip += "&#10;\(entry.duration.shortText) from "
        tip += "\(entry.start.shortText), \(entry.outcomeWord)"
        if let error = entry.errorText { tip += ": \(error.xmlText)" }
        tip += "&#10;\(entry.typeName.xmlText)"
        if let group = entry.givenGroup {
            tip += ", group \(group.oneLine.xmlText)"
        }
        if let job = entry.parent { tip += " in \(entries[job].name.xmlText)" }
        return tip
    }

    /// Underlines the bars of the critical path.
    private var criticalPath: String {
        let lines = facts.path.map { index in
            let bar = layout.bars[index]
            let foot = bar.top + bar.height - 1
            return "M\(bar.left.text(decimals: 1)) \(foot.text(decimals: 1))"
                + "H\((bar.left + bar.width).text(decimals: 1))"
        }
        return lines.isEmpty ? "" : "<path class=\"path\" d=\"\(lines.joined())\"/>\n"
    }

    private func label(of index: Int) -> String {
        let bar = layout.bars[index]
        guard layout.rowHeight >= TimelineLayout.leastLabelledRow, bar.width >= 24 else {
            return ""
        }
        let entry = entries[index]
        let isDark = facts.isJob(index) || ["cancelled", "running"].contains(entry.outcomeWord)
        let name = TimelineStyle.text(
            entry.name.oneLine,
            x: 0,
            y: bar.height / 2 + 3.8,
            style: isDark ? "dark" : "light"
        )
        // The inner picture hides the rest of a name that does not fit.
        return "<svg x=\"\((bar.left + 4).text(decimals: 1))\" y=\"\(bar.top.text(decimals: 1))\" "
            + "width=\"\((bar.width - 8).text(decimals: 1))\" height=\"\(layout.rowHeight)\">"
            + "\(name)</svg>\n"
    }
}
