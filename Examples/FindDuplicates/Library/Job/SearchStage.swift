/// The stage of a search, for a display.
///
/// The job's ``JobController/progress`` is the progress of the comparison.
public enum SearchStage: Sendable, Equatable {
    /// Folders are being listed.
    ///
    /// The value is the number of files so far.
    case listing(files: Int)
    /// Files are being compared.
    ///
    /// The values are the number of all files, and the bytes of those to compare.
    case comparing(files: Int, bytes: Int64)
}
