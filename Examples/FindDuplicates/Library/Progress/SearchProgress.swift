/// How far a search has come.
public struct SearchProgress: Sendable, Equatable {
    /// Regular files found so far.
    public private(set) var scannedFiles = 0
    /// Bytes of files hashed so far.
    public private(set) var hashedBytes: Int64 = 0
    /// The share of the work known so far that is done, from 0 to 1.
    ///
    /// It never goes back: where new work shows itself, it stands still for a while. While folders
    /// are still being listed it counts half, because much new work may show itself.
    public private(set) var share = 0.0
    /// Whether folders are still being listed.
    public var isListing: Bool { openListings > 0 }

    private var openListings = 0
    private var knownWork: Int64 = 0
    private var doneWork: Int64 = 0

    /// The progress of a search that has not begun.
    public init() {}

    /// Notes that another folder is to be listed.
    mutating func listingStarted() {
        openListings += 1
        workFound(SearchProgress.listingWork)
    }

    /// Notes that a folder was listed.
    mutating func listingEnded() {
        openListings -= 1
        workDone(SearchProgress.listingWork, hashedBytes: 0)
    }

    /// Notes that a folder held so many regular files.
    mutating func filesScanned(_ count: Int) {
        scannedFiles += count
    }

    /// Notes work that has shown itself, in units of about a microsecond.
    mutating func workFound(_ work: Int64) {
        knownWork += work
    }

    /// Notes that work which was found before is done.
    mutating func workDone(_ work: Int64, hashedBytes bytes: Int64) {
        doneWork += work
        hashedBytes += bytes
        let knownShare = Double(doneWork) / Double(max(knownWork, 1))
        share = max(share, isListing ? knownShare / 2 : knownShare)
    }

    private static let listingWork: Int64 = 10
}
