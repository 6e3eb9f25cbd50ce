import Dispatch
import FindDuplicates
import Foundation
import Synchronization

/// The live progress line on a terminal.
final class ProgressDisplay: Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(100)

    private let latest = Mutex(SearchProgress())
    private let isShowing = Mutex(true)
    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "find-duplicates.progress")

    /// Begins to show progress; `nil` where standard error is no terminal that can clear a line.
    init?() {
        let terminal = ProcessInfo.processInfo.environment["TERM"]
        guard isatty(STDERR_FILENO) == 1, terminal != "dumb" else { return nil }
        queue.sync { draw() }
    }

    /// Takes the latest progress; it is shown when it is time to.
    ///
    /// - Parameter progress: How far the search has come.
    func update(_ progress: SearchProgress) {
        latest.withLock { $0 = progress }
    }

    /// Clears the line and ends; nothing is drawn from when this returns.
    ///
    /// > Thread: Any but the display's own queue. Waits for a drawing under way.
    func clear() {
        let wasShowing = isShowing.withLock { isShowing in
            defer { isShowing = false }
            return isShowing
        }
        guard wasShowing else { return }
        queue.sync { ErrorOutput.writeRaw(Array("\r\u{1B}[K".utf8)) }
    }

    /// Draws the line, and sees to it that it is drawn again.
    private func draw() {
        guard isShowing.withLock({ $0 }) else { return }
        let line = ProgressLine(
            progress: latest.withLock { $0 },
            elapsed: start.duration(to: .now)
        )
        ErrorOutput.writeRaw(Array("\r\(line.text(columns: columns))\u{1B}[K".utf8))
        queue.asyncAfter(deadline: .now() + ProgressDisplay.interval) { [weak self] in
            self?.draw()
        }
    }

    /// The terminal's width, asked each time because it may change.
    private var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
