import Dispatch
import Foundation
import GRDB
import Synchronization

/// Writes to the database in order, with waiting writes in one transaction.
///
/// It holds the only lock of its state machine. Many clients share a commit, because it costs more
/// than the writes of a run.
final class StoreWriter: Sendable {
    /// The part of one caller in a transaction.
    struct Command: Sendable {
        let perform: @Sendable (Database) throws -> Void
        let committed: @Sendable ((any Error)?) -> Void
    }

    typealias Machine = WriteQueueStateMachine<Command>

    private struct State: Sendable {
        var machine = Machine()
        var lastWrite: ContinuousClock.Instant?
    }

    private let database: DatabasePool
    // Weak, because the file's lock must be released with the store and not with the last write.
    private weak let file: DatabaseFile?
    private let told: @Sendable (StoreNews) -> Void
    /// Throws the errors of a simulated disk, called in each transaction before its commit.
    private let fault: @Sendable () throws -> Void
    private let queue = DispatchQueue(label: "job-store")
    private let state = Mutex(State())

    init(
        _ database: DatabasePool,
        file: DatabaseFile,
        fault: @escaping @Sendable () throws -> Void,
        told: @escaping @Sendable (StoreNews) -> Void
    ) {
        self.database = database
        self.file = file
        self.fault = fault
        self.told = told
    }

    /// The reason why writes fail, or nil while they succeed.
    var reason: String? { state.withLock { $0.machine.reason } }
    /// The number of writes that wait until they succeed.
    var keptCount: Int { state.withLock { $0.machine.keptCount } }

    /// Writes and returns when the transaction was committed.
    ///
    /// - Parameters:
    ///   - isKept: Whether the write waits while the store fails, and is made when the store works
    ///     again.
    ///   - body: Writes to the database. It may run again in another transaction if this one is
    ///     undone. If it throws, only its own changes are undone.
    /// - Returns: The result of the body.
    /// - Throws: The body's error, or ``StoreFailed``.
    func write<Value: Sendable>(
        isKept: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let box = Box(Mutex<Result<Value, any Error>?>(nil))
            let command = Command(
                perform: { database in
                    let outcome = Result { try Self.whole(body, in: database) }
                    // Errors of the disk or a lock undo the whole transaction.
                    if case .failure(let error) = outcome, Self.isFault(error) { throw error }
                    box.value.withLock { $0 = outcome }
                },
                committed: { error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else if let outcome = box.value.withLock({ $0 }) {
                        continuation.resume(with: outcome)
                    } else {
                        continuation.resume(throwing: StoreFailed(reason: "Nothing was written"))
                    }
                }
            )
            queue.async { [self] in send { $0.machine.added(command, isKept: isKept) } }
        }
    }

    /// Makes a test write unless a write has succeeded within the last second.
    ///
    /// - Throws: ``StoreFailed`` while writes fail.
    func probe() async throws {
        let isFresh = state.withLock { state in
            guard state.machine.reason == nil, let last = state.lastWrite else { return false }
            return ContinuousClock.now - last < .seconds(1)
        }
        guard !isFresh else { return }
        if let reason { throw StoreFailed(reason: reason) }
        try await write { try Self.trial($0) }
    }

    /// Checks whether the file is still the one that was opened.
    func look() {
        queue.async { [self] in
            if let cause = file?.loss { send { $0.machine.lost(cause) } }
        }
    }

    /// Sends an input to the state machine and carries out its actions.
    ///
    /// It runs only on the queue, so that actions follow the order of the decisions.
    private func send(_ input: (inout State) -> [Machine.Action]) {
        for action in state.withLock({ input(&$0) }) {
            switch action {
            // Delayed, so that further waiting commands join the same transaction.
            case .write(let commands): queue.async { [self] in make(commands) }
            case .refuse(let commands, let reason):
                for command in commands { command.committed(StoreFailed(reason: reason)) }
            case .wait(let trial):
                queue.asyncAfter(deadline: .now() + Self.delay(trial)) { [self] in
                    send { $0.machine.waited() }
                }
            case .tell(let news): told(news)
            }
        }
    }

    private func make(_ commands: [Command]) {
        if let cause = file?.loss { return send { $0.machine.lost(cause) } }
        do {
            try database.write { database in
                if commands.isEmpty { try Self.trial(database) }
                for command in commands { try command.perform(database) }
                try fault()
            }
        } catch {
            // A lost file causes various errors.
            if let cause = file?.loss { return send { $0.machine.lost(cause) } }
            return send { $0.machine.failed(Self.text(error)) }
        }
        // A commit to a lost file is not reported as written.
        if let cause = file?.loss { return send { $0.machine.lost(cause) } }
        state.withLock { $0.lastWrite = .now }
        for command in commands { command.committed(nil) }
        send { $0.machine.written() }
    }

    /// The delay: 0.1 s, doubled with each trial up to 5 s, with 20 percent jitter.
    private static func delay(_ trial: Int) -> Double {
        min(5, 0.1 * pow(2, Double(min(trial, 30) - 1))) * Double.random(in: 0.8...1.2)
    }

    private static func trial(_ database: Database) throws {
        try database.execute(sql: "UPDATE probe SET count = count + 1")
    }

    /// Runs a command's body and undoes its changes if it throws.
    private static func whole<Value>(
        _ body: (Database) throws -> Value,
        in database: Database
    ) throws -> Value {
        var value: Value?
        try database.inSavepoint {
            value = try body(database)
            return .commit
        }
        guard let value else { throw StoreFailed(reason: "Nothing was written") }
        return value
    }

    /// Whether an error comes from the file, the disk or a lock, and not from the command.
    static func isFault(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        let own: [ResultCode] = [
            .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE, .SQLITE_ERROR,
        ]
        return !own.contains(error.resultCode.primaryResultCode)
    }

    /// Describes an error in a few words.
    static func text(_ error: any Error) -> String {
        (error as? DatabaseError)?.message ?? "\(error)"
    }
}

/// Shares a value that cannot be copied.
private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}
