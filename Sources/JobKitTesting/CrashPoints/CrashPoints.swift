import Foundation
import JobJournal

/// Runs a job once on a journal, and again on a copy cut after, and in, each record that it wrote.
///
/// ```swift
/// func testTheImportSurvivesEveryCrash() async throws {
///     try await CrashPoints { journal in try await importAll(rows, journal) }
/// }
/// ```
///
/// Each run must have the outcome of the first. No step may run whose outcome was recorded before
/// the cut, and none again whose outcome that run has recorded. A job with *n* records runs
/// 2 *n* + 1 times, one run after another, each on a journal of its own in a temporary folder.
public struct CrashPoints: Sendable {
    /// How many records the job wrote when it was not interrupted.
    public let recordCount: Int

    /// Tries the job at all its crash points.
    ///
    /// - Parameter job: The user's own job. It may close or remove the journal.
    /// - Throws: ``CrashPointError`` at the first point that fails, or what the uninterrupted run
    ///   throws.
    @discardableResult
    public init<Outcome: Equatable & Sendable>(
        _ job: @escaping @Sendable (JobJournal) async throws -> Outcome
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("CrashPoints-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let whole = try JobJournal(at: folder, job: "job", watch: CrashLife())
        // Opened before the job runs, which may remove the file.
        let file = try FileHandle(forReadingFrom: whole.file)
        let expected = try await job(whole)
        await whole.close()
        let bytes = [UInt8](try file.readToEnd() ?? Data())
        let records = try JobJournal.records(in: bytes)
        recordCount = records.count
        for point in records.indices {
            for isTorn in [true, false] {
                let range = records[point].range
                let end = isTorn ? (range.lowerBound + range.upperBound) / 2 : range.upperBound
                let life = CrashLife(knowing: records[..<(isTorn ? point : point + 1)])
                let cut = folder.appendingPathComponent("\(point) \(isTorn)")
                try FileManager.default.createDirectory(at: cut, withIntermediateDirectories: true)
                let copy = cut.appendingPathComponent(whole.file.lastPathComponent)
                try Data(bytes[..<end]).write(to: copy)
                var found: String
                do {
                    let journal = try JobJournal(at: cut, job: "job", watch: life)
                    let outcome = try await job(journal)
                    await journal.close()
                    if outcome == expected, life.repeatedStep == nil {
                        try? FileManager.default.removeItem(at: cut)
                        continue
                    }
                    found = "\(outcome)"
                } catch {
                    found = "the error \(error)"
                }
                if let step = life.repeatedStep {
                    found += ", and \(step) ran although it was recorded"
                }
                throw CrashPointError(
                    point: point + 1,
                    isTorn: isTorn,
                    key: life.repeatedStep ?? records[point].key,
                    expected: "\(expected)",
                    found: found
                )
            }
        }
    }
}

/// A job did not go on from a crash as it should.
public struct CrashPointError: Error, CustomStringConvertible {
    /// The record, from 1, after which or in which the journal was cut.
    public let point: Int
    /// Whether the cut was in the middle of the record.
    public let isTorn: Bool
    /// The step that ran again; if none did, the one whose record was cut.
    public let key: String?
    /// The outcome of the run that was not interrupted.
    public let expected: String
    /// The outcome of the run on the cut journal, or its error.
    public let found: String

    /// Says where the journal was cut, and what came of it.
    public var description: String {
        let place = isTorn ? "in" : "after"
        let step = key.map { " (\($0))" } ?? ""
        return "Cut \(place) record \(point)\(step): expected \(expected), found \(found)."
    }
}
