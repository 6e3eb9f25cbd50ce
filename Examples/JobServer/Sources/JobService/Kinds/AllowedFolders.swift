import Foundation
import JobStore

/// The folders that jobs may read.
///
/// A path is resolved with `realpath` and then compared by whole components and by bytes.
/// Therefore, `..`, symbolic links and names that only look equal do not lead out of the folders. A
/// job should open the resolved path and not follow links below it.
public struct AllowedFolders: Sendable {
    private let roots: [String]

    /// Allows folders.
    ///
    /// An empty list allows none.
    ///
    /// - Parameter paths: Paths of folders. A folder that does not exist at this moment is ignored.
    public init(_ paths: [String]) {
        roots = paths.compactMap { Self.resolved($0) }.filter { Self.isFolder($0) }
    }

    /// The resolved folders.
    public var paths: [String] { roots }

    /// Resolves a folder's path.
    ///
    /// - Parameters:
    ///   - path: The path that a client sent.
    ///   - field: The name of the parameter.
    /// - Returns: The folder's absolute path, without links.
    /// - Throws: ``InvalidParameter``. The sentence is the same for a missing folder, another kind
    ///   of file and a folder outside, so that it reveals nothing about existing files.
    public func resolve(_ path: String, field: String) throws(InvalidParameter) -> String {
        let problem = InvalidParameter(field, "No such folder may be read here.")
        guard !path.isEmpty, !path.utf8.contains(0), let resolved = Self.resolved(path),
            roots.contains(where: { Self.contains($0, resolved) })
        else { throw problem }
        guard Self.isFolder(resolved) else { throw problem }
        return resolved
    }

    private static func contains(_ root: String, _ path: String) -> Bool {
        let (root, path) = (Name(root), Name(path))
        return root == "/" || path == root || path.utf8.starts(with: Name("\(root)/").utf8)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}
