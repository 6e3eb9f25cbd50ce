extension Timeline {
    /// Draws the timeline as an SVG picture for a browser or a document.
    ///
    /// Each entry is one bar in the colour of its group. The bar is solid if the entry succeeded,
    /// red if it failed, grey if it was cancelled, and pale if it is still running. Jobs are light
    /// backgrounds behind their tasks. A dark line underlines the ``criticalPath``. A bar shows
    /// as much of its name as fits. Hovering over the bar shows the whole name, times, type, group,
    /// job and error. The legend gives the number of tasks of each group and their total time. The
    /// picture has a dark mode.
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
        // Failures are drawn last, so that narrow bars do not hide them.
        func isFailure(_ index: Int) -> Bool {
            !facts.isJob(index) && entries[index].outcomeWord == "failed"
        }
        let order = entries.indices.filter { !isFailure($0) } + entries.indices.filter(isFailure)
        for (number, index) in order.enumerated() {
            if number.isMultiple(of: Self.barsOfGroup) { svg += number == 0 ? "<g>" : "</g>\n<g>" }
            svg += bar(index)
        }
        if !order.isEmpty { svg += "</g>\n" }
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
        var parts = [facts.span.shortText]
        let jobCount = facts.tasks.count { !$0.isEmpty }
        let tasks = (entries.count - jobCount).counting("task")
        parts.append("\(tasks) in \(jobCount.counting("job"))")
        for word in ["failed", "cancelled", "running"] {
            let count = entries.indices.count { index in
                entries[index].outcomeWord == word && !facts.isJob(index)
            }
            if count > 0 { parts.append("\(count) \(word)") }
        }
        if !facts.path.isEmpty { parts.append("critical path of \(facts.path.count)") }
        if facts.omittedCount > 0 { parts.append("\(facts.omittedCount) more not recorded") }
        return TimelineStyle.text(title, x: 20, y: 30, style: "title")
            + TimelineStyle.text(parts.joined(separator: " · "), x: 20, y: 48, style: "facts")
    }

    private var axis: String {
        let ticks = TimelineAxis(span: facts.span, count: Int(layout.plotWidth / 100)).ticks
        let (top, bottom) = (TimelineLayout.plotTop - 6, layout.plotBottom + 4)
        var grid = "<path class=\"grid\" d=\""
        var labels = ""
        for tick in ticks {
            let x = layout.position(of: tick.time)
            grid += "M\(x.text(decimals: 1)) \(top)V\(bottom.text(decimals: 1))"
            let isLast = x > layout.width - 60
            let (labelX, style) = isLast ? (x - 3, "tick end") : (x + 3, "tick")
            labels += TimelineStyle.text(tick.label, x: labelX, y: top - 2, style: style)
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
        tip += "&#10;\((entry.end - entry.start).shortText) from "
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
        var line = ""
        var last: (right: Double, foot: String)?
        for index in facts.path {
            let bar = layout.bars[index]
            let left = bar.left.text(decimals: 1)
            let foot = (bar.top + bar.height - 1).text(decimals: 1)
            // Bars that touch share one line, so that a long path stays small.
            let touches = last.map { $0.foot == foot && bar.left - $0.right < 1 } ?? false
            if !touches { line += "M\(left) \(foot)" }
            let right = bar.left + bar.width
            line += "H\(right.text(decimals: 1))"
            last = (right, foot)
        }
        return line.isEmpty ? "" : "<path class=\"path\" d=\"\(line)\"/>\n"
    }

    private func label(of index: Int) -> String {
        let (bar, isJob) = (layout.bars[index], facts.isJob(index))
        guard layout.rowHeight >= TimelineLayout.leastLabelledRow, bar.width >= 24 else {
            return ""
        }
        let entry = entries[index]
        let isDark = isJob || ["cancelled", "running"].contains(entry.outcomeWord)
        let middle = isJob ? layout.rowHeight / 2 : bar.height / 2
        let style = isDark ? "dark" : "light"
        // The inner picture hides the rest of a name that does not fit.
        return "<svg x=\"\((bar.left + 4).text(decimals: 1))\" y=\"\(bar.top.text(decimals: 1))\" "
            + "width=\"\((bar.width - 8).text(decimals: 1))\" height=\"\(layout.rowHeight)\">"
            + TimelineStyle.text(entry.name.oneLine, x: 0, y: middle + 3.8, style: style)
            + "</svg>\n"
    }
}
