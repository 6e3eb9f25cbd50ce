import Foundation
import JobJournal

/// Tests that a job continues correctly after a crash at any of its records.
///
/// ```swift
/// func testTheImportSurvivesEveryCrash() async throws {
///     try await CrashPoints.check { journal in try await importAll(rows, journal) }
/// }
/// ```
public struct CrashPoints: Sendable {
    /// The number of records that the uninterrupted run wrote.
    public let recordCount: Int

    /// Runs a job, and again on copies of its journal that end at each record.
    ///
    /// Each record gives two copies: one is cut in the record, and one after it. Each run must have
    /// the outcome of the first one. A step must not run if its outcome was recorded before the
    /// cut, or earlier in the same run. A job with *n* records runs 2 *n* + 1 times, one run after
    /// another. Each run has its own journal in a temporary folder.
    ///
    /// - Parameter job: The user's own job. It may close or remove the journal.
    /// - Returns: The number of records.
    /// - Throws: ``CrashPointError`` at the first point that fails, or the error of the
    ///   uninterrupted run.
    @discardableResult
    public static func check<Outcome: Equatable & Sendable>(
        _ job: @escaping @Sendable (JobJournal) async throws -> Outcome
    ) async throws -> CrashPoints {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("CrashPoints-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let whole = try JobJournal(at: folder, job: "job", watch: CrashSession())
        // Opened before the job runs, because the job may remove the file.
        let file = try FileHandle(forReadingFrom: whole.file)
        let expected = try await job(whole)
        await whole.close()
        let bytes = [UInt8](try file.readToEnd() ?? Data())
        let records = try JobJournal.records(in: bytes)
        for point in records.indices {
            for isTorn in [true, false] {
                let range = records[point].range
                let end = isTorn ? (range.lowerBound + range.upperBound) / 2 : range.upperBound
                // A torn record does not count, so its step may run again.
                let session = CrashSession(knowing: records[..<(isTorn ? point : point + 1)])
                let cut = folder.appendingPathComponent("\(point) \(isTorn)")
                try FileManager.default.createDirectory(at: cut, withIntermediateDirectories: true)
                let copy = cut.appendingPathComponent(whole.file.lastPathComponent)
                try Data(bytes[..<end]).write(to: copy)
                var found: String
                do {
                    let journal = try JobJournal(at: cut, job: "job", watch: session)
                    let outcome = try await job(journal)
                    await journal.close()
                    if outcome == expected, session.repeatedStep == nil {
                        try? FileManager.default.removeItem(at: cut)
                        continue
                    }
                    found = "\(outcome)"
                } catch {
                    found = "the error \(error)"
                }
                if let step = session.repeatedStep {
                    found += ", and \(step) ran although it was recorded"
                }
                throw CrashPointError(
                    point: point + 1,
                    isTorn: isTorn,
                    key: session.repeatedStep ?? records[point].key,
                    expected: "\(expected)",
                    found: found
                )
            }
        }
        return CrashPoints(recordCount: records.count)
    }
}

/// Reports that a job did not continue correctly after a crash.
public struct CrashPointError: LocalizedError, CustomStringConvertible {
    /// The record, from 1, after which or in which the journal was cut.
    public let point: Int
    /// Whether the cut was in the middle of the record.
    public let isTorn: Bool
    /// The step that ran again although it was recorded.
    ///
    /// If there is none, the step of the record that was cut.
    public let key: String?
    /// The outcome of the uninterrupted run.
    public let expected: String
    /// The outcome of the run on the cut journal, or its error.
    public let found: String

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - point: The record, from 1, after which or in which the journal was cut.
    ///   - isTorn: Whether the cut was in the middle of the record.
    ///   - key: The step.
    ///   - expected: The outcome of the uninterrupted run.
    ///   - found: The outcome of the run on the cut journal, or its error.
    public init(point: Int, isTorn: Bool, key: String?, expected: String, found: String) {
        self.point = point
        self.isTorn = isTorn
        self.key = key
        self.expected = expected
        self.found = found
    }

    /// Names the point, the step and both outcomes.
    public var description: String {
        let place = isTorn ? "in" : "after"
        let step = key.map { " (\($0))" } ?? ""
        return
            "Cut \(place) record \(point)\(step), the job ended with \(found) instead of \(expected)."
    }

    /// The description.
    public var errorDescription: String? { description }
}
