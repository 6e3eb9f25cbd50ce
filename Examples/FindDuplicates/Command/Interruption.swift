import Dispatch
import FindDuplicates
import Foundation
import Synchronization

/// Ends the process at ^C, or at a request to terminate, whatever else it is doing.
///
/// The first signal asks the job to stop. Then the process writes what was found and dies of that
/// signal, as shells expect it. A second signal kills it at once, and so does the passing of five
/// seconds in which the job does not stop: a file of a server that does not answer is being read, or
/// the system starts no more threads.
///
/// All threads block the signals, and the main thread waits for them: on Linux it would otherwise
/// unblock them in `dispatchMain()`. It and its helper exist from the beginning, so nothing has to be
/// started at a time when nothing can be.
final class Interruption: Sendable {
    private struct State {
        var first: Int32?
        var isOver = false
        var stop: (@Sendable () -> Void)?
        var giveUp: (@Sendable () -> Void)?
    }

    /// The process's only one; whoever asks first begins to watch.
    static let shared = Result { () throws(SystemError) in try Interruption() }

    private static let secondsToStop: UInt32 = 5

    private let signals: [Int32]
    private let state = Mutex(State())
    private let isAskedToStop = DispatchSemaphore(value: 0)

    /// Blocks the signals; call it before any other thread exists.
    ///
    /// Signals that the process was started to ignore stay ignored.
    ///
    /// - Throws: The system's reason not to start a thread.
    private init() throws(SystemError) {
        signals = [SIGINT, SIGTERM].filter { !Self.isIgnored($0) }
        var blocked = Self.set(signals + [SIGALRM])
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        try Threads.start { [self] in
            isAskedToStop.wait()
            state.withLock { $0.stop }?()
        }
    }

    /// Says what the first signal is to do, which otherwise kills the process.
    ///
    /// - Parameters:
    ///   - stop: Asks the job to stop; on a thread of its own.
    ///   - giveUp: Called before the process dies though the job has not stopped; brief.
    func watch(stop: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) {
        state.withLock { ($0.stop, $0.giveUp) = (stop, giveUp) }
    }

    /// Says that the job has stopped: from now on a signal kills the process.
    func jobStopped() {
        alarm(0)
        state.withLock { state in
            (state.stop, state.giveUp) = (nil, nil)
            state.isOver = true
        }
    }

    /// Dies of the signal that came while the job ran, if one did.
    func dieIfInterrupted() {
        if let first = state.withLock({ $0.first }) { Self.die(of: first) }
    }

    /// Waits for signals as long as the process lives; for the main thread.
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
            // An alarm that rang as the job stopped has nothing to say.
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

    /// Whether the process was started to ignore a signal.
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
