import Foundation
import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// Lists one folder.
final class ListFolder: ResultOperation<FolderListing>, @unchecked Sendable {
    let folder: BytePath
    /// The location in which the folder's path was found.
    let location: FolderTree.Location
    private let minimumSize: Int64
    private let root: SearchRoot

    /// Prepares the listing.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - location: The location in which the path was found.
    ///   - minimumSize: The smallest size of a compared file, in bytes.
    ///   - root: The beginning of the path, which alone may lead through symbolic links.
    init(
        _ folder: BytePath,
        at location: FolderTree.Location,
        minimumSize: Int64,
        below root: SearchRoot
    ) {
        self.folder = folder
        self.location = location
        self.minimumSize = minimumSize
        self.root = root
        super.init()
    }

    /// Whether the user named the folder.
    ///
    /// If so, it may be a symbolic link or a file, and must exist.
    var isNamed: Bool {
        if case .argument = location { true } else { false }
    }

    /// The folder's path unless a name is set.
    ///
    /// It is computed on demand, because there are many folders.
    override var name: String? {
        get { super.name ?? String(decoding: folder.bytes, as: UTF8.self) }
        set { super.name = newValue }
    }

    /// Lists the folder on the queue's thread, and returns when this is done.
    override func main() {
        do throws(SystemError) {
            finish(returning: try listing())
        } catch {
            finish(with: error)
        }
    }

    private func listing() throws(SystemError) -> FolderListing {
        do throws(SystemError) {
            return try FolderListing(
                of: folder,
                minimumSize: minimumSize,
                followsLink: isNamed && root.length > 0,
                below: root,
                isStopped: { isCancelled }
            )
        } catch {
            guard isNamed, root.length > 0, error.code == ENOTDIR else { throw error }
            return try FolderListing(ofFile: folder, minimumSize: minimumSize)
        }
    }
}
