import Dispatch
import FindDuplicates
import Foundation

/// Starts separate threads for work that must not depend on a thread pool.
enum Threads {
    /// Starts a thread.
    ///
    /// - Parameter body: The work of the thread.
    /// - Throws: The system's error if it does not start the thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        pthread_detach(try make(body))
    }

    /// Checks whether the system would start a number of simultaneous threads.
    ///
    /// The scheduler waits forever for a thread that does not start.
    ///
    /// - Parameter count: The number of threads.
    /// - Throws: The system's error if it does not start one of them.
    static func probe(_ count: Int) throws(SystemError) {
        let gate = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        defer {
            for _ in threads { gate.signal() }
            for thread in threads { pthread_join(thread, nil) }
        }
        for _ in 0..<count { threads.append(try make { gate.wait() }) }
    }

    private final class Body: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    private static func make(
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) -> pthread_t {
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let boxed = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(&thread, nil, entry, boxed)
        if result == 0 {
            #if canImport(Darwin)
            if let thread { return thread }
            #else
            return thread
            #endif
        }
        Unmanaged<Body>.fromOpaque(boxed).release()
        throw SystemError(code: result)
    }

    #if canImport(Darwin)
    private static let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
        {
            run($0)
        }
    #else
    private static let entry:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            $0.flatMap(run)
        }
    #endif

    private static func run(_ boxed: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(boxed).takeRetainedValue().call()
        return nil
    }
}
