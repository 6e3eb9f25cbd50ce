import Foundation

/// Returns the distance between the positions that a test tries, or `JOURNAL_STRIDE` if it is set.
///
/// `.ci/run` sets the variable to 1 in release.
func journalStride(_ quick: Int) -> Int {
    ProcessInfo.processInfo.environment["JOURNAL_STRIDE"].flatMap { Int($0) } ?? quick
}
