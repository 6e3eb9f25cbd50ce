import Foundation
import JobKit

/// Keeps a list of things to do in a file, and does them until each has succeeded.
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
    ///   - folder: The folder of the file. It is created for the user alone if it is missing.
    ///   - name: The outbox's name, any text.
    ///   - configuration: How entries are performed.
    ///   - perform: Performs an item. Its entry leaves the file when it returns. It may be called
    ///     more than once for an entry, and it must not call ``waitForFinish(of:)`` or
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

    /// Opens an outbox whose system calls a test replaces.
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
        shell = OutboxShell(
            try OutboxOpening(folder, name: name, settings, calls: calls),
            name: name,
            settings
        )
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
    ///   - key: Entries of one key are performed in order. Nil: the entry waits for no other one.
    ///   - deduplicationID: Identifies duplicates among the entries of the key. Nil: none.
    ///   - duplicates: What becomes of the duplicates.
    ///   - notBefore: Delays the entry and its key. Nil: no delay.
    /// - Returns: The id of the new entry, or of the duplicate that stays.
    /// - Throws: ``JobJournal/JobJournal/WriteError`` or an `EncodingError`. Nothing was added then.
    @discardableResult
    public func add(
        _ item: Item,
        key: String? = nil,
        deduplicationID: String? = nil,
        duplicates: DuplicatePolicy = .append,
        notBefore: Date? = nil
    ) throws -> OutboxEntry.ID {
        let encoded = try encode(item, key, deduplicationID, notBefore)
        return OutboxEntry.ID(number: try shell.add([encoded], duplicates)[0])
    }

    /// Adds items in one write, all or none, as if they were added one after another.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - key: Returns the key of an item.
    ///   - deduplicationID: Returns the deduplication ID of an item.
    ///   - duplicates: What becomes of the duplicates.
    /// - Returns: For each item, the id of the new entry, or of the duplicate that stays.
    /// - Throws: ``JobJournal/JobJournal/WriteError`` or an `EncodingError`. Nothing was added then.
    @discardableResult
    public func add(
        contentsOf items: [Item],
        key: (Item) -> String? = { _ in nil },
        deduplicationID: (Item) -> String? = { _ in nil },
        duplicates: DuplicatePolicy = .append
    ) throws -> [OutboxEntry.ID] {
        let encoded = try items.map { try encode($0, key($0), deduplicationID($0), nil) }
        return try shell.add(encoded, duplicates).map { OutboxEntry.ID(number: $0) }
    }

    private func encode(
        _ item: Item,
        _ key: String?,
        _ deduplicationID: String?,
        _ notBefore: Date?
    ) throws -> OutboxNewItem {
        OutboxNewItem(
            item: Array(try Coders.encoded(item, by: Coders.outcome)),
            key: key,
            deduplicationID: deduplicationID,
            notBefore: notBefore?.timeIntervalSinceReferenceDate ?? OutboxProgress.never
        )
    }

    /// Waits until every earlier entry is as safe as ``OutboxConfiguration/safety`` requires.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func flush() async throws {
        guard !shell.guarded.withLock({ $0.isClosed }) else { return }
        try await shell.write(needsSync: true) { _ in }
    }

    // MARK: Suspending and retrying

    /// Lets no entry begin while a reason is set.
    ///
    /// - Parameter reason: Any text. It is not stored.
    public func suspend(for reason: String) { shell.setReason(reason, true) }

    /// Removes a reason.
    ///
    /// Entries begin again when none is left.
    ///
    /// - Parameter reason: The reason.
    public func resume(for reason: String) { shell.setReason(reason, false) }

    /// Ends the delays that failures and interruptions have caused.
    public func retryNow() { shell.retryNow() }

    /// Ends the delay of an entry, or unparks it.
    ///
    /// Its failures then count from 0.
    ///
    /// - Parameter id: A parked or delayed entry. For others, nothing happens.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func retry(_ id: OutboxEntry.ID) throws { try shell.retry(id.number) }

    // MARK: Removing

    /// Removes an entry and asks its attempt to stop.
    ///
    /// - Parameter id: The entry.
    /// - Returns: False if the entry had left already.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    @discardableResult
    public func remove(_ id: OutboxEntry.ID) throws -> Bool {
        try !shell.remove { _ in [id.number] }.slots.isEmpty
    }

    /// Removes all entries in one write, for example when the user signs out.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    public func removeAll() throws { _ = try shell.remove { _ in nil } }

    /// Removes all entries of a key in one write.
    ///
    /// - Parameter key: The key.
    /// - Returns: The entries as they were.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    @discardableResult
    public func removeAll(key: String) throws -> [OutboxEntry] {
        let (slots, file) = try shell.remove { machine in
            machine.numbers(ofKey: key).map { machine.slots[$0].id }
        }
        return shell.entries(slots, in: file)
    }

    // MARK: Reading

    /// The numbers of entries by their state.
    public var counts: OutboxCounts {
        let counts = shell.read { $0.machine.counts }
        return OutboxCounts(
            waiting: counts.waiting,
            delayed: counts.delayed,
            parked: counts.parked,
            performing: counts.performing
        )
    }

    /// The entries by position.
    ///
    /// - Parameters:
    ///   - key: The key. Nil: the entries of all keys.
    ///   - limit: How many are returned at most.
    /// - Returns: The entries.
    public func entries(key: String? = nil, limit: Int = 100) -> [OutboxEntry] {
        shell.entries(key: key, limit: limit)
    }

    /// The item of an entry.
    ///
    /// - Parameter id: The entry.
    /// - Returns: The item. Nil if the entry has left.
    /// - Throws: A `DecodingError`, ``JobJournal/JobJournal/DamagedError`` or
    ///   ``JobJournal/JobJournal/WriteError``.
    public func item(_ id: OutboxEntry.ID) throws -> Item? {
        try shell.item(id.number).map { try Coders.decoder.decode(Item.self, from: $0) }
    }

    /// Explains why entries wait, in one line for each entry or for equal ones together.
    ///
    /// - Parameter limit: How many lines there are at most.
    /// - Returns: The text.
    public func explain(limit: Int = 20) -> String { shell.explain(limit: limit) }

    /// A new stream of changes for one reader.
    ///
    /// It ends when the outbox is closed.
    ///
    /// The first stream begins with the events of the opening. A stream keeps unread events in
    /// memory and loses none.
    ///
    /// - Returns: The stream.
    public func events() -> AsyncStream<OutboxEvent> { shell.events() }

    // MARK: Waiting

    /// Waits until an entry has left by success.
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

    /// Starts nothing new, cancels the attempts, waits for them, and releases the file.
    ///
    /// - Parameter limit: How long to wait. Code that ignores its cancellation may then still run.
    public func close(stopWithin limit: Duration = .seconds(10)) async {
        await shell.close(stopWithin: limit)
    }
}
