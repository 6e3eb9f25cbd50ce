/// Decides which thread writes, and which requests it carries out together.
///
/// Only one thread writes at a time. Requests that are added in the meantime wait. After a failure,
/// nothing is written.
struct WriterStateMachine<Request> {
    private(set) var isWriting = false
    private var waiting: [Request] = []
    /// Why a request that is added now is refused.
    private(set) var refusal: (any Error)?
    private(set) var isClosing = false

    var hasWaiting: Bool { !waiting.isEmpty }

    /// Appends a request to those that wait.
    ///
    /// - Returns: Whether the caller must write now.
    mutating func requestAdded(_ request: Request) -> Bool {
        precondition(refusal == nil, "a request was added after the end")
        waiting.append(request)
        defer { isWriting = true }
        return !isWriting
    }

    /// Takes the requests that the writing thread carries out next.
    ///
    /// If there are none, the thread no longer writes.
    mutating func batchTaken() -> [Request] {
        precondition(isWriting, "a batch was taken by a thread that does not write")
        isWriting = !waiting.isEmpty
        defer { waiting = [] }
        return waiting
    }

    /// Records that a write has failed, and takes the requests that fail with it.
    mutating func writeFailed(_ error: any Error) -> [Request] {
        if refusal == nil || isClosing { refusal = error }
        defer { waiting = [] }
        return waiting
    }

    /// Refuses all later requests.
    ///
    /// Waiting requests are still carried out.
    mutating func closed(_ error: any Error) {
        isClosing = true
        if refusal == nil { refusal = error }
    }
}
