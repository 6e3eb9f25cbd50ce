/// The text of a progress line.
package struct ProgressLine {
    /// What the search is about.
    let stage: SearchStage
    /// The share of the comparison that is done, from 0 to 1.
    let fraction: Double
    /// How long the comparison has taken so far.
    let elapsed: Duration

    /// Describes a moment of a search.
    ///
    /// - Parameters:
    ///   - stage: What the search is about.
    ///   - fraction: The share of the comparison that is done, from 0 to 1.
    ///   - elapsed: How long the comparison has taken so far.
    package init(stage: SearchStage, fraction: Double, elapsed: Duration) {
        self.stage = stage
        self.fraction = fraction
        self.elapsed = elapsed
    }

    /// The line, cut where the terminal ends: a line that wraps could not be cleared.
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

    /// In tenths below ten percent: of terabytes each is long in coming.
    private var percent: String {
        let tenths = Int(fraction * 1000)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }

    /// What the rest takes if it goes on as fast, after the first second.
    ///
    /// Most of it may turn out not to be needed: files are read only as far as they are equal.
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
