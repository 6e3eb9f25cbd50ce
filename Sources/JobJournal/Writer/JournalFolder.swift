import Foundation

/// A folder of journals, which opens, replaces and unlinks files without following links.
struct JournalFolder: Sendable {
    let url: URL
    let handle: OpenFile
    /// The folders with changed entries, because a folder was created in them.
    let changed: [String]
    let calls: FileCalls

    init(_ url: URL, calls: FileCalls) throws {
        self.url = url
        self.calls = calls
        changed = try JournalFolder.make(url.path)
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Foundation.open(url.path, flags)
        guard descriptor >= 0 else { throw systemError() }
        handle = OpenFile(descriptor, calls: calls)
    }

    /// Creates a folder and those that lead to it.
    ///
    /// - Returns: The folders with new entries.
    private static func make(_ path: String) throws -> [String] {
        let parent = (path as NSString).deletingLastPathComponent
        if mkdir(path, 0o700) == 0 { return [parent] }
        if errno == EEXIST { return [] }
        guard errno == ENOENT, path != "/", path != "." else { throw systemError() }
        let changed = try make(parent.isEmpty ? "." : parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw systemError() }
        return changed + [parent]
    }

    /// Opens a file and takes its lock.
    ///
    /// Nil if the file is locked already.
    func openLocked(_ name: String) throws -> OpenFile? {
        while true {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            let file = try opened(name, flags)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else { throw systemError(notAFile) }
            guard try file.lock() else { return nil }
            // The previous holder of the lock may have removed or replaced the file in between.
            if try isStill(status, name) { return file }
        }
    }

    /// Creates a locked file, which replaces any file of that name.
    ///
    /// The file is locked before it is renamed to its final name, so it is never in use without a
    /// lock.
    func createLocked(_ name: String) throws -> OpenFile {
        try unlink(name)
        let file = try opened(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
        guard try file.lock() else { throw systemError() }
        return file
    }

    /// Gives a file a second, unused name, under which it survives its replacement.
    ///
    /// - Returns: The name.
    func moveAside(_ name: String) throws -> String {
        for number in 1... {
            let aside = "\(name).damaged-\(number)"
            if linkat(handle.descriptor, name, handle.descriptor, aside, 0) == 0 { return aside }
            guard errno == EEXIST else { throw systemError() }
        }
        return name
    }

    func unlink(_ name: String) throws {
        guard unlinkat(handle.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw systemError()
        }
    }

    /// Makes the folder's entries, and those that lead to it, survive a power cut.
    func syncEntries() throws {
        try handle.syncEntries()
        for path in changed {
            let descriptor = Foundation.open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw systemError() }
            try OpenFile(descriptor, calls: calls).syncEntries()
        }
    }

    private func opened(_ name: String, _ flags: Int32) throws -> OpenFile {
        let descriptor = openat(handle.descriptor, name, flags, 0o600)
        guard descriptor >= 0 else { throw systemError() }
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
