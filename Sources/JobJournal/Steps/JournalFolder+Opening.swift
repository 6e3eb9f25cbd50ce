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
            let folder = try JournalFolder(url, calls: calls)
            guard let file = try folder.openLocked(name.text) else {
                throw JobJournal.InUseError(job: id)
            }
            try folder.unlink(name.temporary)
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
