import FindDuplicates
import Foundation
import JobKit
import RemoteJobs

// Operation forces @unchecked. The stored properties are constant.
/// Hashes files on their host.
final class HashingOperation: ResultOperation<HashFiles.Output>, @unchecked Sendable {
    private static let pieceLength = 256 * 1_024

    private let input: HashFiles.Input
    private let shared: SharedFolder
    private let context: RemoteContext

    init(_ input: HashFiles.Input, in shared: SharedFolder, _ context: RemoteContext) {
        self.input = input
        self.shared = shared
        self.context = context
        super.init()
    }

    /// Hashes the files on the queue's thread, one after another.
    override func main() {
        // Sizes from a message may add up to more than an integer can hold.
        let total = input.files.reduce(1) { $0 + Double(length(of: $1)) }
        var done = 0.0
        var outcomes: HashFiles.Output = []
        for file in input.files {
            guard !isCancelled else { break }
            guard shared.contains(file.path.path) else {
                return finish(with: OutsideOfFolderError())
            }
            outcomes.append(hash(file))
            done += Double(length(of: file))
            context.reportProgress(done / total)
        }
        finish(returning: outcomes)
    }

    /// Does nothing, because `main()` checks for cancellation and finishes.
    override func didCancel() {}

    private func length(of file: ListFolder.File) -> Int64 {
        input.isHead ? min(file.size, HashFiles.headLength) : file.size
    }

    /// Hashes a file if its path still leads to it without links below the shared folder.
    private func hash(_ file: ListFolder.File) -> HashFiles.Outcome {
        let path = file.path.path
        let opened: OpenFile
        do throws(SystemError) {
            opened = try OpenFile(path, below: shared.root, flags: O_NOFOLLOW)
        } catch {
            return outcome(of: error, path)
        }
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else {
            return outcome(of: SystemError(code: errno), path)
        }
        let identity = WireIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino)
        )
        let changed = HashFiles.Outcome.problem(WireProblem(path, "changed while it was read"))
        guard identity == file.identity, Int64(status.st_size) == file.size,
            status.st_mode & S_IFMT == S_IFREG
        else { return changed }
        return hash(opened, file, orElse: changed)
    }

    private func hash(
        _ opened: borrowing OpenFile,
        _ file: ListFolder.File,
        orElse changed: HashFiles.Outcome
    ) -> HashFiles.Outcome {
        var missing = length(of: file)
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(Self.pieceLength), max(1, missing))),
            alignment: 16
        )
        defer { buffer.deallocate() }
        while missing > 0, !isCancelled {
            let wanted = min(buffer.count, Int(missing))
            let count = read(opened.descriptor, buffer.baseAddress, wanted)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return outcome(of: SystemError(code: errno), file.path.path) }
            guard count > 0 else { return changed }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            missing -= Int64(count)
        }
        return .digest(hash.finalize())
    }

    private func outcome(of error: SystemError, _ path: BytePath) -> HashFiles.Outcome {
        error.meansVanished ? .vanished : .problem(WireProblem(path, error.description))
    }
}
