import Foundation
import JobStore

/// The folders that jobs may read.
///
/// A path is resolved with `realpath` before it is compared, by whole components and by bytes: `..`, symbolic
/// links and names that only look the same do not lead out. A job should open what was resolved, and not
/// follow links below it.
public struct AllowedFolders: Sendable {
    private let roots: [String]

    /// Allows folders; none allows none.
    ///
    /// - Parameter paths: Paths of folders. One that does not exist now allows nothing.
    public init(_ paths: [String]) {
        roots = paths.compactMap { Self.resolved($0) }.filter { Self.isFolder($0) }
    }

    /// The folders, resolved.
    public var paths: [String] { roots }

    /// Resolves a folder's path.
    ///
    /// - Parameters:
    ///   - path: What a client sent.
    ///   - field: The parameter that it was sent as.
    /// - Returns: The folder's absolute path, without links.
    /// - Throws: ``InvalidParameter``, with the same sentence for a folder that is missing, is no folder or
    ///   lies outside: nobody learns what there is.
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
