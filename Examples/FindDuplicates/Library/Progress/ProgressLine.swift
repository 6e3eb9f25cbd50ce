/// The text of a progress line.
package struct ProgressLine {
    /// How far the search has come.
    let progress: SearchProgress
    /// How long it has taken so far.
    let elapsed: Duration

    /// Describes a moment of a search.
    ///
    /// - Parameters:
    ///   - progress: How far it has come.
    ///   - elapsed: How long it has taken so far.
    package init(progress: SearchProgress, elapsed: Duration) {
        self.progress = progress
        self.elapsed = elapsed
    }

    /// The line, cut where the terminal ends: a line that wraps could not be cleared.
    ///
    /// - Parameter columns: The terminal's width.
    /// - Returns: ASCII text without a line break.
    package func text(columns: Int) -> String {
        var parts = [
            "\(progress.scannedFiles) files",
            "\(ProgressLine.text(byteCount: progress.hashedBytes)) hashed",
            "\(Int(progress.share * 100))% done",
        ]
        if let timeLeft { parts.append("\(ProgressLine.text(seconds: timeLeft)) left") }
        return String(parts.joined(separator: ", ").prefix(max(0, columns - 1)))
    }

    /// The seconds left if the rest goes on as fast; `nil` while nobody can tell.
    var timeLeft: Int64? {
        guard !progress.isListing, progress.share > 0.01 else { return nil }
        let taken = elapsed / Duration.seconds(1)
        return Int64((taken * (1 - progress.share) / progress.share).rounded(.up))
    }

    static func text(byteCount: Int64) -> String {
        var amount = byteCount * 10
        for unit in ["B", "kB", "MB", "GB"] {
            if amount < 10_000 {
                return unit == "B" ? "\(byteCount) B" : "\(amount / 10).\(amount % 10) \(unit)"
            }
            amount /= 1000
        }
        return "\(amount / 10).\(amount % 10) TB"
    }

    static func text(seconds: Int64) -> String {
        let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        if minutes == 0 { return "\(rest) s" }
        if minutes < 60 { return "\(minutes) min \(rest) s" }
        return "\(minutes / 60) h \(minutes % 60) min"
    }
}
