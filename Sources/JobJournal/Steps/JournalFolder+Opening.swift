import Foundation

extension JournalFolder {
    /// Opens a folder and one of its files, and locks the file.
    ///
    /// - Throws: ``JobJournal/JobJournal/InUseError``, ``JobJournal/JobJournal/DamagedError`` or
    ///   ``JobJournal/JobJournal/WriteError``.
    static func open<Value>(
        _ url: URL,
        _ name: JournalFileName,
        of id: String,
        calls: FileCalls = .system,
        _ body: (JournalFolder, OpenFile) throws -> Value
    ) throws -> Value {
        let path = url.appendingPathComponent(name.text)
        do {
            let folder = try JournalFolder(url, name, calls: calls)
            guard let file = try folder.openLocked() else {
                throw JobJournal.InUseError(job: id)
            }
            try folder.unlinkReplacement()
            return try body(folder, file)
        } catch let damage as Damage {
            throw JobJournal.DamagedError(damage, of: path)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: path, underlying: error)
        }
    }
}

extension OpenFile {
    /// Reads a record whose location is known.
    ///
    /// - Parameters:
    ///   - location: The location of the record.
    ///   - fileKey: The key of the file.
    ///   - url: The file's URL, for errors.
    ///   - body: Reads the record. Returns nil if it does not have the expected contents.
    /// - Returns: The result of `body`.
    /// - Throws: ``JobJournal/JobJournal/DamagedError`` or ``JobJournal/JobJournal/WriteError``.
    func record<Value>(
        at location: RecordLocation,
        with fileKey: FileKey,
        _ url: URL,
        _ body: (FoundRecord) -> Value?
    ) throws -> Value {
        var pieces = FileBytes(piecesOf: self)
        let value: Value?
        do { value = try pieces.record(at: location, with: fileKey, body) } catch {
            throw JobJournal.WriteError(file: url, underlying: error)
        }
        let damage = Damage(offset: location.offset, reason: .check)
        guard let value else { throw JobJournal.DamagedError(damage, of: url) }
        return value
    }
}
