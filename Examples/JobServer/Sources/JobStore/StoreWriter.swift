import Dispatch
import GRDB
import Synchronization

/// Writes to the database, in order, all that came in meanwhile in one transaction.
///
/// A commit costs more than what a run writes: many clients share one.
final class StoreWriter: Sendable {
    /// One caller's part of a transaction.
    private struct Command: Sendable {
        let perform: @Sendable (Database) -> Void
        let committed: @Sendable ((any Error)?) -> Void
    }

    private struct State: Sendable {
        var pending: [Command] = []
        var isDraining = false
    }

    private let database: DatabasePool
    private let queue = DispatchQueue(label: "job-store")
    private let state = Mutex(State())

    init(_ database: DatabasePool) {
        self.database = database
    }

    /// Writes, and returns when the transaction was committed.
    ///
    /// - Parameter body: What is written; runs once. Its error undoes what it wrote, and nothing else.
    /// - Returns: What the body returned.
    /// - Throws: The body's error, or the commit's.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let box = Box(Mutex<Result<Value, any Error>?>(nil))
            add(
                Command(
                    perform: { database in
                        let outcome = Result { try Self.whole(body, in: database) }
                        box.value.withLock { $0 = outcome }
                    },
                    committed: { error in
                        if let error {
                            continuation.resume(throwing: error)
                        } else if let outcome = box.value.withLock({ $0 }) {
                            continuation.resume(with: outcome)
                        } else {
                            continuation.resume(throwing: JobStoreError("Nothing was written."))
                        }
                    }
                )
            )
        }
    }

    /// Runs a command's body, and undoes it if it throws.
    private static func whole<Value>(
        _ body: (Database) throws -> Value,
        in database: Database
    ) throws -> Value {
        var value: Value?
        try database.inSavepoint {
            value = try body(database)
            return .commit
        }
        guard let value else { throw JobStoreError("Nothing was written.") }
        return value
    }

    private func add(_ command: Command) {
        let mustDrain = state.withLock { state in
            state.pending.append(command)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard mustDrain else { return }
        queue.async { [self] in drain() }
    }

    private func drain() {
        while true {
            let commands = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isDraining = false }
                return state.pending
            }
            guard !commands.isEmpty else { return }
            var failure: (any Error)?
            do {
                try database.write { database in
                    for command in commands { command.perform(database) }
                }
            } catch {
                failure = error
            }
            for command in commands { command.committed(failure) }
        }
    }
}

/// Shares a value that cannot be copied.
private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}
