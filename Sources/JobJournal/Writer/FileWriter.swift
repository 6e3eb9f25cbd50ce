import Dispatch
import JobKit

/// A change of a file, which waits until a thread carries it out.
protocol FileRequest: Sendable {
    /// Fulfilled when the change is in the file, or with the error that prevented it.
    var written: Promise { get }
}

/// Carries out the requests of a ``FileWriter``.
protocol FileWriterOwner: AnyObject, Sendable {
    associatedtype Request: FileRequest

    /// Writes requests that were submitted at the same time.
    ///
    /// If this throws, the requests that are left and all later ones fail.
    func carryOut(_ requests: inout [Request], _ log: inout RecordLog) throws

    /// Called after a thread has carried out requests.
    func requestsCarriedOut()
}

/// Owns the end of a file, and lets one thread at a time write there.
///
/// Requests that are submitted while a thread writes are carried out together next. No system call
/// is made under the lock.
final class FileWriter<Owner: FileWriterOwner>: Sendable {
    private struct State {
        var machine = WriterStateMachine<Owner.Request>()
        /// Nil while a thread writes, and after the file was closed.
        var log: RecordLog?
    }

    private let state: Guarded<State>
    private let queue = DispatchQueue(label: "JobJournal")
    private let ended = Promise()

    init(_ log: RecordLog) {
        state = Guarded(State(log: log))
    }

    /// Why a request that is submitted now would fail.
    var refusal: (any Error)? { state.withLock { $0.machine.refusal } }

    var isWriting: Bool { state.withLock { $0.machine.isWriting } }

    /// The size of the file, or nil while a thread writes.
    var fileSize: Int? { state.withLock { $0.log?.tail.end } }

    /// Carries out a request on this thread, unless another thread is writing.
    ///
    /// `rounds` is the number of writes that this thread may make. The file's own thread makes
    /// further ones.
    func submit(_ request: Owner.Request, for owner: Owner, rounds: (RecordLog) -> Int) {
        let (refusal, rounds) = state.withLock { state -> ((any Error)?, Int?) in
            if let refusal = state.machine.refusal { return (refusal, nil) }
            guard state.machine.requestAdded(request) else { return (nil, nil) }
            return (nil, state.log.map(rounds) ?? 0)
        }
        if let refusal { return request.written.fulfill(refusal) }
        if let rounds { write(for: owner, rounds) }
    }

    private func write(for owner: Owner, _ rounds: Int) {
        for round in 0... {
            let (requests, log, isClosing) = state.withLock { state in
                guard round < rounds || !state.machine.hasWaiting else {
                    return (nil as [Owner.Request]?, nil as RecordLog?, false)
                }
                let requests = state.machine.batchTaken()
                let log = requests.isEmpty ? nil : state.log.take()
                return (requests, log, state.machine.isClosing)
            }
            guard let requests else { break }
            guard !requests.isEmpty else {
                if isClosing { ended.fulfill() }
                return owner.requestsCarriedOut()
            }
            carryOut(requests, log, for: owner)
        }
        queue.async { [self] in write(for: owner, 64) }
        owner.requestsCarriedOut()
    }

    private func carryOut(
        _ taken: consuming [Owner.Request],
        _ log: RecordLog?,
        for owner: Owner
    ) {
        var requests = taken
        do {
            guard var log else { throw FileIsClosed() }
            defer { state.withLock { $0.log = log } }
            try owner.carryOut(&requests, &log)
        } catch {
            let waiting = state.withLock { $0.machine.writeFailed(error) }
            for request in requests + waiting { request.written.fulfill(error) }
        }
    }

    /// Refuses later requests, and waits until the earlier ones are carried out.
    ///
    /// - Returns: The file. Nil if it was closed before.
    func close() async -> OpenFile? {
        let isWriting = state.withLock { state in
            state.machine.closed(FileIsClosed())
            return state.machine.isWriting
        }
        if !isWriting { ended.fulfill() }
        await ended.wait()
        return state.withLock { $0.log.take()?.file }
    }
}
