import Foundation
import JobKit

/// Keeps a list of items in a file, and performs each until it has succeeded.
///
/// ```swift
/// let outbox = try JobOutbox<Photo>(at: folder, name: "uploads") { photo, attempt in
///     try await server.upload(photo, idempotencyKey: attempt.idempotencyKey)
/// }
/// try outbox.add(photo, key: photo.album)
/// ```
///
/// The list survives the end of the process. Entries of one key are performed in order, one at a
/// time. A failed attempt is repeated after a delay.
///
/// > Thread: Every member may be used from any thread.
public final class JobOutbox<Item: Codable & Sendable>: Sendable {
    private let shell: OutboxShell

    /// Opens an outbox, or creates it, and starts to perform its entries.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file. If it is missing, it is created so that only the user
    ///     has access to it.
    ///   - name: The outbox's name, any text.
    ///   - configuration: How entries are performed.
    ///   - perform: Performs an item. When it returns, the entry leaves the file. It may be called
    ///     more than once for an entry. It must not call ``waitForFinish(of:)`` or
    ///     ``waitUntilIdle()``.
    /// - Throws: ``JobJournal/JobJournal/InUseError``, ``JobJournal/JobJournal/DamagedError``, or
    ///   ``JobJournal/JobJournal/WriteError`` if the file cannot be created, read or written.
    public convenience init(
        at folder: URL,
        name: String,
        configuration: OutboxConfiguration<Item> = OutboxConfiguration(),
        perform: @escaping @Sendable (Item, OutboxAttempt) async throws -> Void
    ) throws {
        try self.init(at: folder, name, configuration, calls: .system, perform)
    }

    /// Opens an outbox with the system calls of a test.
    package init(
        at folder: URL,
        _ name: String,
        _ configuration: OutboxConfiguration<Item>,
        calls: FileCalls,
        _ perform: @escaping @Sendable (Item, OutboxAttempt) async throws -> Void
    ) throws {
        precondition(
            configuration.concurrencyLimit > 0,
            "JobKit: the concurrency limit of the outbox \(name) must be at least 1."
        )
        let settings = OutboxSettings(configuration, perform)
        shell = try OutboxShell(at: folder, name: name, settings, calls: calls)
        shell.startAttempts()
    }

    deinit {
        let shell = shell
        Task { await shell.close(stopWithin: .seconds(10)) }
    }

    // MARK: Adding

    /// Adds an item.
    ///
    /// When this returns, the entry survives the end of the process.
    ///
    /// - Parameters:
    ///   - item: The item, which is stored as JSON.
    ///   - key: The entry's key. Entries of one key are performed in order. Nil: the entry waits
    ///     for no other one.
    ///   - deduplicationID: Identifies duplicates among the entries of the key. Nil: none.
    ///   - duplicates: Decides which of the duplicates stay.
    ///   - notBefore: The earliest time of the first attempt. It also delays later entries of the
    ///     key. Nil: no delay.
    /// - Returns: The id of the new entry, or of the duplicate that stays.
    /// - Throws: ``JobJournal/JobJournal/WriteError`` or an `EncodingError`. Then nothing was
    ///   added.
    @discardableResult
    public func add(
        _ item: Item,
        key: String? = nil,
        deduplicationID: String? = nil,
        duplicates: DuplicatePolicy = .append,
        notBefore: Date? = nil
    ) throws -> OutboxEntry.ID {
        let bytes = Array(try Coders.encoded(item, by: Coders.outcome))
        var entry = OutboxEntryPayload(
            key: key,
            deduplicationID: deduplicationID,
            item: bytes[...]
        )
        // A date that is not a number is no date.
        if let date = notBefore?.timeIntervalSinceReferenceDate, !date.isNaN {
            entry.progress.notBefore = date
        }
        return OutboxEntry.ID(number: try shell.add([entry], duplicates)[0])
    }

    /// Adds all items in one write, or none of them.
    ///
    /// The result is the same as if they were added one after another.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - key: Returns the key of an item.
    ///   - deduplicationID: Returns the deduplication ID of an item.
    ///   - duplicates: Decides which of the duplicates stay.
    /// - Returns: For each item, the id of the new entry, or of the duplicate that stays.
    /// - Throws: ``JobJournal/JobJournal/WriteError`` or an `EncodingError`. Then nothing was
    ///   added.
    @discardableResult
    public func add(
        contentsOf items: [Item],
        key: (Item) -> String? = { _ in nil },
        deduplicationID: (Item) -> String? = { _ in nil },
        duplicates: DuplicatePolicy = .append
    ) throws -> [OutboxEntry.ID] {
        let entries = try zip(items, Coders.encoded(each: items))
            .map { item, bytes in
                OutboxEntryPayload(
                    key: key(item),
                    deduplicationID: deduplicationID(item),
                    item: bytes
                )
            }
        return try shell.add(entries, duplicates).map { OutboxEntry.ID(number: $0) }
    }

    /// Waits until every earlier entry is as safe as ``OutboxConfiguration/safety`` requires.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func flush() async throws {
        guard !shell.guarded.withLock({ $0.isClosed }) else { return }
        try await shell.write(needsSync: true) { _ in }
    }

    // MARK: Suspending and retrying

    /// Prevents attempts from starting while a reason is set.
    ///
    /// - Parameter reason: Any text. It is not stored.
    public func suspend(for reason: String) {
        shell.changeUnstored { $0.reasons.insert(reason) }
    }

    /// Removes a reason for the suspension.
    ///
    /// Attempts start again when no reason is left.
    ///
    /// - Parameter reason: The reason.
    public func resume(for reason: String) {
        shell.changeUnstored { $0.reasons.remove(reason) }
    }

    /// Ends all delays that follow failures and interruptions.
    public func retryNow() {
        let time = shell.time()
        shell.changeUnstored { $0.delaysEnded(time) }
    }

    /// Ends the delay of an entry, or unparks it.
    ///
    /// The failures of a parked entry are then counted from 0 again.
    ///
    /// - Parameter id: A parked or delayed entry. Any other entry does not change.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func retry(_ id: OutboxEntry.ID) throws { try shell.retry(id.number) }

    // MARK: Removing

    /// Removes an entry, and asks its attempt to stop.
    ///
    /// - Parameter id: The entry.
    /// - Returns: Whether the entry was still in the file.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    @discardableResult
    public func remove(_ id: OutboxEntry.ID) throws -> Bool {
        try !shell.remove { [$0.slots.numbers[id.number]].compactMap { $0 } }.entries.isEmpty
    }

    /// Removes all entries in one write, for example when the user signs out.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func removeAll() throws { _ = try shell.remove { _ in nil } }

    /// Removes all entries of a key in one write.
    ///
    /// - Parameter key: The key.
    /// - Returns: The entries as they were before.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    @discardableResult
    public func removeAll(key: String) throws -> [OutboxEntry] {
        let (entries, file) = try shell.remove { $0.numbers(ofKey: key) }
        return shell.entries(entries, in: file)
    }

    // MARK: Reading

    /// The number of entries in each state.
    public var counts: OutboxCounts { shell.read { $0.machine.counts } }

    /// Returns entries in the order of their positions.
    ///
    /// - Parameters:
    ///   - key: The key. Nil: the entries of all keys.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries.
    public func entries(key: String? = nil, limit: Int = 100) -> [OutboxEntry] {
        shell.entries(key: key, limit: limit)
    }

    /// Returns the item of an entry.
    ///
    /// - Parameter id: The entry.
    /// - Returns: The item. Nil if the entry has left.
    /// - Throws: A `DecodingError`, ``JobJournal/JobJournal/DamagedError`` or
    ///   ``JobJournal/JobJournal/WriteError``.
    public func item(_ id: OutboxEntry.ID) throws -> Item? {
        try shell.item(id.number).map { try Coders.decoder.decode(Item.self, from: $0) }
    }

    /// Explains why entries wait, with one line for each entry or for several equal ones.
    ///
    /// - Parameter limit: The maximum number of lines.
    /// - Returns: The text.
    public func explain(limit: Int = 20) -> String { shell.explain(limit: limit) }

    /// Returns a new stream of changes for one reader.
    ///
    /// The stream ends when the outbox is closed.
    ///
    /// The first stream begins with the events that occurred when the outbox was opened. A stream
    /// keeps unread events in memory and loses none.
    ///
    /// - Returns: The stream.
    public func events() -> AsyncStream<OutboxEvent> { shell.events() }

    // MARK: Waiting

    /// Waits until an entry has succeeded and left the file.
    ///
    /// Must not be called in `perform`.
    ///
    /// - Parameter id: The entry.
    /// - Throws: `CancellationError` if the entry was dropped, replaced or removed, if the outbox
    ///   is closed, or if the calling Swift task is cancelled.
    public func waitForFinish(of id: OutboxEntry.ID) async throws {
        try await shell.waitForFinish(of: id.number)
    }

    /// Waits until nothing is performing, all outcomes are written, and no entry could begin now.
    ///
    /// Must not be called in `perform`.
    public func waitUntilIdle() async { await shell.waitUntilIdle() }

    /// Stops new attempts, cancels the running ones, waits for them, and releases the file.
    ///
    /// - Parameter limit: The maximum wait. Code that ignores its cancellation may continue after
    ///   it.
    public func close(stopWithin limit: Duration = .seconds(10)) async {
        await shell.close(stopWithin: limit)
    }
}
