import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// A task that hashes a batch of files, one after another.
final class HashFiles: ResultOperation<[FileHasher.Outcome]>, @unchecked Sendable {
    private let batch: DuplicateSearch.Batch
    private let extent: FileHasher.Extent

    /// Prepares the hashing.
    ///
    /// - Parameters:
    ///   - batch: The files, each with its number.
    ///   - extent: How much of each is hashed.
    init(_ batch: DuplicateSearch.Batch, _ extent: FileHasher.Extent) {
        self.batch = batch
        self.extent = extent
        super.init()
    }

    /// The files' number and the first of them unless it is set; made when it is asked for.
    override var name: String? {
        get {
            if let name = super.name { return name }
            let first = batch.first.map { String(decoding: $0.file.path.bytes, as: UTF8.self) }
            let what = extent == .head ? "head" : "file"
            return "\(batch.count) \(what)\(batch.count == 1 ? "" : "s") from \(first ?? "")"
        }
        set { super.name = newValue }
    }

    /// What each of the files came to, in the batch's order; empty until the task has succeeded.
    var outcomes: [FileHasher.Outcome] {
        guard case .success(let outcomes)? = result else { return [] }
        return outcomes
    }

    /// Hashes the files on the queue's thread.
    ///
    /// The work is done when this returns.
    override func main() {
        let hasher = FileHasher(for: extent)
        var outcomes: [FileHasher.Outcome] = []
        outcomes.reserveCapacity(batch.count)
        for (_, file) in batch {
            guard !isCancelled else { break }
            outcomes.append(hasher.hash(file, extent) { isCancelled })
        }
        finish(returning: outcomes)
    }

    /// Leaves it to `main()` to notice and finish, as the default would not.
    override func didCancel() {}
}
