import Dispatch

/// A waiter for a queue to become empty.
enum IdleWaiter: Sendable {
    case thread(DispatchSemaphore)
    case task(UnsafeContinuation<Void, Never>)

    func resume() {
        switch self {
        case .thread(let semaphore): semaphore.signal()
        case .task(let continuation): continuation.resume()
        }
    }
}
