import Dispatch
import FindDuplicates
import Foundation
import Synchronization

/// The live progress line on a terminal, which reads the job's `progress` ten times a second.
final class ProgressDisplay: Sendable {
    private struct State {
        var stage = SearchStage.listing(files: 0)
        var comparisonStart: ContinuousClock.Instant?
        var isShowing = false
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)
    private static let erasing = Array("\r\u{1B}[K".utf8)

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "find-duplicates.progress")

    /// Returns `nil` if standard error is not a terminal that can clear a line.
    init?() {
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        guard isatty(STDERR_FILENO) == 1, !["dumb", ""].contains(terminal) else { return nil }
    }

    /// Sets the stage to show at the next update.
    ///
    /// - Parameter stage: The stage of the search.
    func show(_ stage: SearchStage) {
        state.withLock { state in
            state.stage = stage
            guard case .comparing = stage, state.comparisonStart == nil else { return }
            state.comparisonStart = .now
        }
    }

    /// Starts drawing.
    ///
    /// - Parameter progress: The job's progress.
    func begin(_ progress: Progress) {
        state.withLock { $0.isShowing = true }
        draw(progress)
    }

    /// Clears the line and stops.
    ///
    /// Nothing is drawn after it has returned.
    ///
    /// > Thread: Any except the display's own queue. Waits for a drawing under way.
    func end() {
        guard stopShowing() else { return }
        queue.sync { ErrorOutput.writeRaw(Self.erasing) }
    }

    /// Clears the line without waiting, because the process is about to die.
    func abandon() {
        if stopShowing() { ErrorOutput.writeRaw(Self.erasing) }
    }

    private func stopShowing() -> Bool {
        state.withLock { state in
            defer { state.isShowing = false }
            return state.isShowing
        }
    }

    /// Draws the line and schedules the next drawing.
    private func draw(_ progress: Progress) {
        let state = state.withLock { $0 }
        guard state.isShowing else { return }
        let line = ProgressLine(
            stage: state.stage,
            fraction: progress.fractionCompleted,
            elapsed: state.comparisonStart?.duration(to: .now) ?? .zero
        )
        ErrorOutput.writeRaw(Array("\r\(line.text(columns: columns))\u{1B}[K".utf8))
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.draw(progress) }
    }

    /// The terminal's width, read each time because it may change.
    private var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
