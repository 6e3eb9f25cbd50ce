import Dispatch
import FindDuplicates
import Foundation
import Synchronization

/// Ends the process at ^C or at a request to terminate, in any state of the process.
///
/// The first signal asks the job to stop. Then the process writes the results so far and dies of
/// that signal, as shells expect. A second signal kills the process at once. The same happens if
/// the job has not stopped after five seconds, for example because a file server does not answer,
/// or because the system starts no more threads.
///
/// All threads block the signals, and the main thread waits for them. Otherwise, `dispatchMain()`
/// would unblock them on Linux. The main thread and its helper exist from the beginning, so that no
/// thread must be started when the system starts none.
final class Interruption: Sendable {
    private struct State {
        var first: Int32?
        var isOver = false
        var stop: (@Sendable () -> Void)?
        var giveUp: (@Sendable () -> Void)?
    }

    /// The only instance.
    ///
    /// The first access begins to handle signals.
    static let shared = Result { () throws(SystemError) in try Interruption() }

    private static let secondsToStop: UInt32 = 5

    private let signals: [Int32]
    private let state = Mutex(State())
    private let isAskedToStop = DispatchSemaphore(value: 0)

    /// Blocks the signals.
    ///
    /// Call it before any other thread exists. Signals that the process has ignored since its start
    /// stay ignored.
    ///
    /// - Throws: The system's error if it starts no thread.
    private init() throws(SystemError) {
        signals = [SIGINT, SIGTERM].filter { !Self.isIgnored($0) }
        var blocked = Self.set(signals + [SIGALRM])
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        try Threads.start { [self] in
            isAskedToStop.wait()
            state.withLock { $0.stop }?()
        }
    }

    /// Sets the action for the first signal, which otherwise kills the process.
    ///
    /// - Parameters:
    ///   - stop: Asks the job to stop, on a separate thread.
    ///   - giveUp: Called before the process dies although the job has not stopped. It must be
    ///     fast.
    func watch(stop: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) {
        state.withLock { ($0.stop, $0.giveUp) = (stop, giveUp) }
    }

    /// Records that the job has stopped, so that from now on a signal kills the process.
    func jobStopped() {
        alarm(0)
        state.withLock { state in
            (state.stop, state.giveUp) = (nil, nil)
            state.isOver = true
        }
    }

    /// Dies of the signal that arrived while the job was running, if any.
    func dieIfInterrupted() {
        if let first = state.withLock({ $0.first }) { Self.die(of: first) }
    }

    /// Waits for signals until the process ends.
    ///
    /// Call it on the main thread.
    func waitForSignals() -> Never {
        var awaited = Self.set(signals + [SIGALRM])
        while true {
            var number: Int32 = 0
            guard sigwait(&awaited, &number) == 0 else { continue }
            received(number)
        }
    }

    private func received(_ number: Int32) {
        let (first, isFirst, isOver, giveUp) = state.withLock { state in
            let isFirst = state.first == nil && state.stop != nil && number != SIGALRM
            if isFirst { state.first = number }
            return (state.first, isFirst, state.isOver, state.giveUp)
        }
        if isFirst {
            alarm(Self.secondsToStop)
            isAskedToStop.signal()
        } else if number != SIGALRM || !isOver {
            // An alarm that fires just after the job has stopped is ignored.
            giveUp?()
            Self.die(of: number == SIGALRM ? first ?? SIGTERM : number)
        }
    }

    private static func die(of number: Int32) -> Never {
        var fatal = set([number])
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &fatal, nil)
        raise(number)
        exit(128 + number)
    }

    /// Whether the process has ignored a signal since its start.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}
