import Foundation

/// The content of one folder: files to compare, folders, and problems.
public struct FolderListing: Sendable {
    /// The path by which the folder was read.
    public let path: BytePath
    /// Identifies the folder, regardless of its names.
    public var identity: FileIdentity { stamp.identity }
    /// Distinguishes the folder from most others with the same number.
    let stamp: FileStamp
    /// The beginning of the path that may lead through symbolic links.
    ///
    /// If nil, everything may.
    var root: SearchRoot?
    /// The sufficiently large regular files, in the order of the system.
    public internal(set) var files: [ScannedFile] = []
    /// The folders in this folder.
    public internal(set) var folders: [BytePath] = []
    /// The files that may not be read.
    public internal(set) var problems: [FileProblem] = []
    /// The number of regular files, including those that are too small to be compared.
    public internal(set) var regularFileCount = 0
}

extension FolderListing {
    /// Reads a folder without following symbolic links in it.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - minimumSize: The smallest size of a compared file, in bytes.
    ///   - followsLink: Whether `folder` itself may be a symbolic link.
    ///   - root: The beginning of the path that may lead through symbolic links. If nil, everything
    ///     except the last name may.
    ///   - isStopped: Called before each entry. `true` ends the reading early.
    /// - Throws: The system's error if the folder cannot be opened.
    public init(
        of folder: BytePath,
        minimumSize: Int64 = 1,
        followsLink: Bool = false,
        below root: SearchRoot? = nil,
        isStopped: () -> Bool = { false }
    ) throws(SystemError) {
        let flags = O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW)
        let opened =
            if let root {
                try OpenFile(folder, below: root, flags: flags)
            } else {
                try OpenFile(folder, flags: flags)
            }
        let descriptor = opened.descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last }
        path = folder
        stamp = FileStamp(status)
        self.root = root
        guard let stream = fdopendir(descriptor) else { throw SystemError.last }
        // From here on, the stream owns the descriptor and closes it.
        _ = opened.handOver()
        defer { closedir(stream) }
        while !isStopped() {
            errno = 0
            guard let entry = readdir(stream) else {
                // The entries read so far are searched anyway.
                if errno != 0 { problems.append(.incomplete(folder, SystemError.last)) }
                return
            }
            add(entry, of: folder, opened: descriptor, minimumSize: minimumSize)
        }
    }

    /// Creates the listing of a single file that the user named, directly or by a symbolic link.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - minimumSize: The smallest size of a compared file, in bytes.
    /// - Throws: The system's error if it cannot be read, `ENOTDIR` if it is neither a file nor a
    ///   folder.
    init(ofFile file: BytePath, minimumSize: Int64) throws(SystemError) {
        var status = stat()
        let mayRead = file.withCString { stat($0, &status) == 0 && access($0, R_OK) == 0 }
        guard mayRead else { throw SystemError.last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: ENOTDIR) }
        path = file
        stamp = FileStamp(status)
        regularFileCount = 1
        let size = Int64(status.st_size)
        guard size >= max(1, minimumSize) else { return }
        files = [ScannedFile(path: file, size: size, stamp: stamp, followsLink: true)]
    }

    /// Returns a value that no other folder has, even if it has the same stamp.
    ///
    /// - Parameter watches: The watches of all folders to distinguish.
    /// - Returns: The value.
    /// - Throws: The system's error if the folder, or the file that was listed like a folder,
    ///   cannot be opened again or watched.
    func watch(in watches: FileWatches) throws(SystemError) -> Int32 {
        guard let root else { return try watches.watch(OpenFile(path, flags: 0)) }
        return try watches.watch(OpenFile(path, below: root, flags: 0))
    }

    /// Adds one entry.
    ///
    /// The size is only requested for entries that may be regular files.
    private mutating func add(
        _ entry: UnsafeMutablePointer<dirent>,
        of folder: BytePath,
        opened descriptor: Int32,
        minimumSize: Int64
    ) {
        let kind = Int(entry.pointee.d_type)
        let mayCount = kind == Int(DT_REG) || kind == Int(DT_DIR) || kind == Int(DT_UNKNOWN)
        // The name is read in location, because a copy of the whole entry could read past its end.
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
            files.append(ScannedFile(path: path, size: size, stamp: FileStamp(status)))
        default:
            break
        }
    }

    /// The reason why this process may not read a file, which is reported even if no other file has
    /// its size.
    ///
    /// The system is not asked about a file that everyone may read.
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
