import Foundation

/// The folder of a journal or outbox, which opens, replaces and unlinks its file without following
/// links.
struct JournalFolder: Sendable {
    let url: URL
    /// The name of the file.
    let name: JournalFileName
    private let handle: OpenFile
    /// The folders with changed entries, because a folder was created in them.
    let changed: [String]
    let calls: FileCalls

    init(_ url: URL, _ name: JournalFileName, calls: FileCalls) throws {
        self.url = url
        self.name = name
        self.calls = calls
        changed = try JournalFolder.make(url.path)
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        handle = try JournalFolder.open(url.path, flags, calls: calls)
    }

    /// The URL of the file.
    var file: URL { url.appendingPathComponent(name.text) }

    /// Creates a folder and those that lead to it.
    ///
    /// - Returns: The folders with new entries.
    private static func make(_ path: String) throws -> [String] {
        let parent = (path as NSString).deletingLastPathComponent
        if mkdir(path, 0o700) == 0 { return [parent] }
        if errno == EEXIST { return [] }
        guard errno == ENOENT, path != "/", path != "." else {
            throw systemError(errno, in: "mkdir of \(path)")
        }
        let changed = try make(parent.isEmpty ? "." : parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw systemError(errno, in: "mkdir of \(path)")
        }
        return changed + [parent]
    }

    private static func open(_ path: String, _ flags: Int32, calls: FileCalls) throws -> OpenFile {
        let descriptor = Foundation.open(path, flags)
        guard descriptor >= 0 else { throw systemError(errno, in: "open of \(path)") }
        return OpenFile(descriptor, calls: calls)
    }

    /// Opens the file and takes its lock.
    ///
    /// Nil if the file is locked already.
    func openLocked() throws -> OpenFile? {
        while true {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            let file = try opened(name.text, flags)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else { throw systemError(notAFile) }
            guard try file.lock() else { return nil }
            // The previous holder of the lock may have removed or replaced the file in between.
            if try isStill(status, name.text) { return file }
        }
    }

    /// Creates a locked file, which ``replaceFile()`` puts in the place of the old one.
    ///
    /// It is locked before it gets its final name, so it is never in use without a lock.
    func createReplacement() throws -> OpenFile {
        try unlinkReplacement()
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try opened(name.temporary, flags)
        guard try file.lock() else { throw systemError() }
        return file
    }

    func replaceFile() throws { try handle.rename(name.temporary, to: name.text) }

    func unlinkReplacement() throws { try unlink(name.temporary) }

    /// Gives the file a second, unused name, under which it survives its replacement.
    ///
    /// - Returns: The URL of that name.
    func moveAside() throws -> URL {
        var number = 1
        while true {
            let aside = "\(name.text).damaged-\(number)"
            if linkat(handle.descriptor, name.text, handle.descriptor, aside, 0) == 0 {
                return url.appendingPathComponent(aside)
            }
            guard errno == EEXIST else { throw systemError(errno, in: "link in \(url.path)") }
            number += 1
        }
    }

    func unlink(_ name: String) throws { try handle.unlink(name) }

    /// Makes the folder's entries, and those that lead to it, survive a power cut.
    func syncEntries() throws {
        try handle.sync(folder: url.path)
        for path in changed.map({ $0.isEmpty ? "." : $0 }) {
            let folder = try JournalFolder.open(path, O_RDONLY | O_CLOEXEC, calls: calls)
            try folder.sync(folder: path)
        }
    }

    private func opened(_ name: String, _ flags: Int32) throws -> OpenFile {
        let descriptor = openat(handle.descriptor, name, flags, 0o600)
        guard descriptor >= 0 else { throw systemError(errno, in: "open in \(url.path)") }
        return OpenFile(descriptor, calls: calls)
    }

    private func isStill(_ status: stat, _ name: String) throws -> Bool {
        var there = stat()
        guard fstatat(handle.descriptor, name, &there, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw systemError() }
            return false
        }
        return there.st_ino == status.st_ino && there.st_dev == status.st_dev
    }
}

#if canImport(Darwin)
private let notAFile = EFTYPE
#else
private let notAFile = EINVAL
#endif
