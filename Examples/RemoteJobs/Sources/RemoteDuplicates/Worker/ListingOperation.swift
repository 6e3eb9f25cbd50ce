import FindDuplicates
import Foundation
import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// Lists one folder on its host.
final class ListingOperation: ResultOperation<ListFolder.Output>, @unchecked Sendable {
    private let input: ListFolder.Input
    private let shared: SharedFolder

    init(_ input: ListFolder.Input, in shared: SharedFolder) {
        self.input = input
        self.shared = shared
        super.init()
    }

    /// Lists the folder on the queue's thread.
    override func main() {
        let folder = input.folder?.path ?? shared.path
        guard input.folder == nil || shared.contains(folder) else {
            return finish(with: OutsideOfFolderError())
        }
        do throws(SystemError) {
            let listing = try FolderListing(
                of: folder,
                minimumSize: 1,
                followsLink: input.folder == nil,
                below: shared.root,
                isStopped: { isCancelled }
            )
            finish(
                returning: ListFolder.Output(
                    path: WirePath(folder),
                    identity: WireIdentity(listing.identity),
                    files: listing.files.map { file in
                        ListFolder.File(
                            path: WirePath(file.path),
                            size: file.size,
                            identity: WireIdentity(file.identity)
                        )
                    },
                    folders: listing.folders.map(WirePath.init),
                    problems: listing.problems.map { WireProblem($0.path, $0.reason) },
                    regularFileCount: listing.regularFileCount
                )
            )
        } catch {
            // A folder may vanish before its task runs. Only the shared folder itself must exist.
            let isMissed = input.folder == nil || !error.meansVanished
            finish(
                returning: ListFolder.Output(
                    path: WirePath(folder),
                    identity: WireIdentity(device: 0, number: 0),
                    files: [],
                    folders: [],
                    problems: isMissed ? [WireProblem(folder, error.description)] : [],
                    regularFileCount: 0,
                    isGone: true
                )
            )
        }
    }

    /// Does nothing, because `main()` checks for cancellation and finishes.
    override func didCancel() {}
}

/// A task named a path outside the shared folder of the worker.
struct OutsideOfFolderError: Error, CustomStringConvertible {
    var description: String { "The path is not in the folder that this worker shows." }
}
