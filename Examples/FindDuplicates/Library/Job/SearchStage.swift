/// The stage of a search, to be shown.
///
/// The job's ``JobController/progress`` says how far along the comparison is.
public enum SearchStage: Sendable, Equatable {
    /// Folders are being listed: so many files were found.
    case listing(files: Int)
    /// Of so many files, some are being compared; those have so many bytes.
    case comparing(files: Int, bytes: Int64)
}
