/// The text of a progress line.
package struct ProgressLine {
    /// The stage of the search.
    let stage: SearchStage
    /// The completed share of the comparison, from 0 to 1.
    let fraction: Double
    /// The time of the comparison so far.
    let elapsed: Duration

    /// Creates the line for a moment of a search.
    ///
    /// - Parameters:
    ///   - stage: The stage of the search.
    ///   - fraction: The completed share of the comparison, from 0 to 1.
    ///   - elapsed: The time of the comparison so far.
    package init(stage: SearchStage, fraction: Double, elapsed: Duration) {
        self.stage = stage
        self.fraction = fraction
        self.elapsed = elapsed
    }

    /// The line, cut at the terminal's width, because a line that wraps could not be cleared.
    ///
    /// - Parameter columns: The terminal's width.
    /// - Returns: ASCII text without a line break.
    package func text(columns: Int) -> String {
        let text =
            switch stage {
            case .listing(let files): "\(files) files found"
            case .comparing(let files, let bytes):
                "\(files) files, \(percent)% of \(ByteSize.text(bytes)) compared" + timeLeft
            }
        return String(text.prefix(max(0, columns - 1)))
    }

    /// Below ten percent, it shows tenths, because each percent of terabytes takes long.
    private var percent: String {
        let tenths = Int(fraction * 1000)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }

    /// The remaining time at the same speed, shown after the first second.
    ///
    /// Most of it may not be needed, because files are read only as far as they are equal.
    private var timeLeft: String {
        guard fraction > 0, elapsed >= .seconds(1) else { return "" }
        let seconds = elapsed / .seconds(1) * (1 - fraction) / fraction
        guard seconds < 1e9 else { return "" }
        return ", at most \(Self.text(seconds: Int64(seconds.rounded(.up)))) left"
    }

    static func text(seconds: Int64) -> String {
        let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        if minutes == 0 { return "\(rest) s" }
        if minutes < 60 { return "\(minutes) min \(rest) s" }
        return "\(minutes / 60) h \(minutes % 60) min"
    }
}
