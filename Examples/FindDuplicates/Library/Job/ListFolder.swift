import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// A task that lists one folder.
final class ListFolder: ResultOperation<FolderListing>, @unchecked Sendable {
    let folder: BytePath
    /// Whether the user named the folder, so that it may be a symbolic link and must exist.
    let isRoot: Bool
    private let minimumSize: Int64

    /// Prepares the listing.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - isRoot: Whether the user named it.
    ///   - minimumSize: The smallest size, in bytes, of a file to compare.
    init(_ folder: BytePath, isRoot: Bool, minimumSize: Int64) {
        self.folder = folder
        self.isRoot = isRoot
        self.minimumSize = minimumSize
        super.init()
    }

    /// The folder's path unless it is set; made when it is asked for, as a search has many folders.
    override var name: String? {
        get { super.name ?? String(decoding: folder.bytes, as: UTF8.self) }
        set { super.name = newValue }
    }

    /// Lists the folder on the queue's thread.
    ///
    /// The work is done when this returns.
    override func main() {
        do throws(SystemError) {
            let listing = try FolderListing(
                of: folder,
                minimumSize: minimumSize,
                followsLink: isRoot,
                isStopped: { isCancelled }
            )
            finish(returning: listing)
        } catch {
            finish(with: error)
        }
    }

    /// Leaves it to `main()` to notice and finish.
    ///
    /// The default would finish the task at once, while its thread still reads the folder.
    override func didCancel() {}
}
