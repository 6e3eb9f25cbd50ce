import FindDuplicatesSystem
import Foundation
import Synchronization

/// The beginning of a path, which alone may lead through symbolic links.
///
/// The folder at this beginning is opened at its first use, and stays open as long as the object
/// exists. All files and folders below it are opened relative to it without following links.
/// Therefore, a search cannot be led elsewhere by replacing a folder with a link.
public final class SearchRoot: Sendable {
    /// The way in which a path below the root is opened.
    enum Resolution: Sendable {
        /// With one call.
        ///
        /// If the kernel lacks that call, or a sandbox forbids it, `.walk` is used.
        case oneCall
        /// Name by name, each relative to the folder before it.
        case walk
    }

    /// The number of bytes of each path that belong to the root.
    ///
    /// With 0, no link is followed.
    let length: Int

    private let path: BytePath
    private let staysOpen: Bool
    private let resolution: Resolution
    private let folder = Mutex<OpenFolder?>(nil)
    /// The last folder that was reached by walking, for further files in it.
    private let walked = Mutex<(path: ArraySlice<UInt8>, folder: OpenFolder)?>(nil)

    /// Creates a root from the path of a folder, which is not opened yet.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - followsLinks: Whether this path itself may lead through symbolic links.
    ///   - staysOpen: Whether the folder may stay open. If not, it is opened for each use.
    public convenience init(_ path: BytePath, followsLinks: Bool = true, staysOpen: Bool = true) {
        self.init(path, followsLinks: followsLinks, staysOpen: staysOpen, resolution: .oneCall)
    }

    init(_ path: BytePath, followsLinks: Bool, staysOpen: Bool, resolution: Resolution) {
        self.path = path
        self.staysOpen = staysOpen
        self.resolution = resolution
        length = followsLinks ? path.bytes.count : 0
    }

    /// Opens a file or folder below the root, or the root itself.
    ///
    /// - Parameters:
    ///   - path: The path, which begins with that of the root.
    ///   - flags: Flags for `open`, added to those for reading.
    /// - Returns: The open file or folder.
    /// - Throws: The system's error. It is `ELOOP` or `ENOTDIR` for a symbolic link.
    func open(_ path: BytePath, flags: Int32) throws(SystemError) -> OpenFile {
        guard length < path.bytes.count else { return try OpenFile(path, flags: flags) }
        let isAbsolute = path.bytes.first == BytePath.slash
        let rest = path.bytes[length...].drop { $0 == BytePath.slash }
        guard length > 0 else {
            // If the root has no length, the path begins at "/" or at the current folder.
            guard isAbsolute else { return try open(rest, in: nil, flags: flags) }
            guard !rest.isEmpty else { return try OpenFile(path, flags: flags) }
            return try open(path.bytes[...], in: nil, flags: flags)
        }
        guard !rest.isEmpty else { return try OpenFile(path, flags: flags) }
        return try open(rest, in: try openedFolder(), flags: flags)
    }

    private func openedFolder() throws(SystemError) -> OpenFolder {
        guard staysOpen else { return try OpenFolder(path) }
        // Only this call opens a folder under the lock. The others wait for the same folder.
        let opened = folder.withLock { folder -> Result<OpenFolder, SystemError> in
            if let folder { return .success(folder) }
            do throws(SystemError) {
                let opened = try OpenFolder(path)
                folder = opened
                return .success(opened)
            } catch {
                return .failure(error)
            }
        }
        return try opened.get()
    }

    private func open(
        _ path: ArraySlice<UInt8>,
        in folder: OpenFolder?,
        flags: Int32
    ) throws(SystemError) -> OpenFile {
        if resolution == .oneCall {
            let start = folder?.descriptor ?? AT_FDCWD
            do throws(SystemError) {
                return try OpenFile(path, beneath: start, isBelow: folder != nil, flags: flags)
            } catch {
                guard error.code == ENOSYS || error.code == EPERM else { throw error }
            }
        }
        return try walk(path, from: folder, flags: flags)
    }

    /// Opens the folder of a file name by name, and then the file.
    ///
    /// The files of one folder usually follow each other, so they need only one walk.
    private func walk(
        _ path: ArraySlice<UInt8>,
        from folder: OpenFolder?,
        flags: Int32
    ) throws(SystemError) -> OpenFile {
        let slash = path.lastIndex(of: BytePath.slash)
        let parent = path[..<(slash ?? path.startIndex)]
        let name = path[(slash.map { $0 + 1 } ?? path.startIndex)...]
        if let known = walked.withLock({ $0 }), known.path == parent {
            return try OpenFile(name, in: known.folder.descriptor, flags: flags | O_NOFOLLOW)
        }
        var reached = folder
        if path.first == BytePath.slash { reached = try OpenFolder(BytePath("/")) }
        for name in parent.split(separator: BytePath.slash) {
            let start = reached?.descriptor ?? AT_FDCWD
            reached = OpenFolder(try OpenFile(name, in: start, flags: O_DIRECTORY | O_NOFOLLOW))
        }
        guard let reached else {
            return try OpenFile(name, in: AT_FDCWD, flags: flags | O_NOFOLLOW)
        }
        if staysOpen { walked.withLock { $0 = (parent, reached) } }
        return try OpenFile(name, in: reached.descriptor, flags: flags | O_NOFOLLOW)
    }
}

/// An open folder, to which paths are relative.
private final class OpenFolder: Sendable {
    private let opened: OpenFile

    var descriptor: Int32 { opened.descriptor }

    init(_ opened: consuming OpenFile) {
        self.opened = opened
    }

    convenience init(_ path: BytePath) throws(SystemError) {
        // Entries of a folder may be opened without permission to list it.
        self.init(try OpenFile(path, flags: O_DIRECTORY | open_path_only))
    }
}
