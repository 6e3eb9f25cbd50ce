import Foundation

/// What one folder holds: the files to compare, the folders below it, and what could not be read.
struct FolderListing: Sendable {
    let identity: FileIdentity
    var files: [ScannedFile] = []
    var folders: [BytePath] = []
    var problems: [FileProblem] = []
    /// How many regular files the folder holds, those too small to be compared included.
    var regularFileCount = 0
}

extension FolderListing {
    /// Reads a folder, and follows no symbolic link in it.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - minimumSize: The smallest size, in bytes, of a file to compare.
    ///   - followsLink: Whether `folder` itself may be a symbolic link.
    ///   - isStopped: Asked before each entry; `true` ends the reading early.
    /// - Throws: The system's reason not to open or read the folder.
    init(
        of folder: BytePath,
        minimumSize: Int64,
        followsLink: Bool,
        isStopped: () -> Bool
    ) throws(SystemError) {
        let opened = try OpenFile(folder, flags: O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW))
        let descriptor = opened.descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last }
        identity = FileIdentity(status)
        guard let stream = fdopendir(descriptor) else { throw SystemError.last }
        // The stream owns the descriptor from here on, and closes it.
        _ = opened.handOver()
        defer { closedir(stream) }
        while !isStopped() {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError.last }
                return
            }
            add(entry, of: folder, opened: descriptor, minimumSize: minimumSize)
        }
    }

    /// Looks at one entry.
    ///
    /// Only what may be a regular file is asked for its size.
    private mutating func add(
        _ entry: UnsafeMutablePointer<dirent>,
        of folder: BytePath,
        opened descriptor: Int32,
        minimumSize: Int64
    ) {
        let kind = Int(entry.pointee.d_type)
        let mayCount = kind == Int(DT_REG) || kind == Int(DT_DIR) || kind == Int(DT_UNKNOWN)
        // The name is read where it stands: a copy of the whole entry could read past its end.
        guard mayCount, let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        let start = UnsafeRawPointer(entry) + offset
        let cString = start.assumingMemoryBound(to: CChar.self)
        let name = UnsafeRawBufferPointer(start: start, count: strlen(cString))
        guard !isSelfOrParent(name) else { return }
        if kind == Int(DT_DIR) {
            folders.append(folder.appending(name))
            return
        }
        var status = stat()
        guard fstatat(descriptor, cString, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let reason = SystemError.last
            guard !reason.meansVanished else { return }
            problems.append(FileProblem(path: folder.appending(name), reason))
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            folders.append(folder.appending(name))
        case S_IFREG:
            regularFileCount += 1
            let size = Int64(status.st_size)
            guard size >= max(1, minimumSize) else { return }
            let path = folder.appending(name)
            if let reason = reasonNotToRead(cString, in: descriptor, mode: status.st_mode) {
                problems.append(FileProblem(path: path, reason))
                return
            }
            files.append(
                ScannedFile(
                    path: path,
                    size: size,
                    identity: FileIdentity(status),
                    hasHardLinks: status.st_nlink > 1
                )
            )
        default:
            break
        }
    }

    /// Says why this process may not read a file, so that it is named even if nothing has its size.
    ///
    /// A file that everybody may read needs no question to the system.
    private func reasonNotToRead(
        _ name: UnsafePointer<CChar>,
        in descriptor: Int32,
        mode: mode_t
    ) -> SystemError? {
        let everybody = S_IRUSR | S_IRGRP | S_IROTH
        guard mode & everybody != everybody else { return nil }
        guard faccessat(descriptor, name, R_OK, AT_EACCESS) != 0 else { return nil }
        let reason = SystemError.last
        return reason.code == EACCES ? reason : nil
    }

    private func isSelfOrParent(_ name: UnsafeRawBufferPointer) -> Bool {
        let dot = UInt8(ascii: ".")
        return name.count <= 2 && name.allSatisfy { $0 == dot }
    }
}
