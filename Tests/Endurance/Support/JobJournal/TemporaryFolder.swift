import Foundation
import JobJournal
import XCTest

/// A folder that is removed at the end of its test.
struct TemporaryFolder {
    let url: URL

    init(_ test: XCTestCase) {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("JobJournalTests-\(UUID().uuidString)")
        self.url = url
        test.addTeardownBlock { try? FileManager.default.removeItem(at: url) }
    }

    func journal(_ job: String = "job", _ safety: JobJournal.Safety = .processCrash) throws
        -> JobJournal
    {
        try JobJournal(at: url, job: job, safety: safety)
    }

    /// The names of the files.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    /// The only file.
    var file: URL {
        get throws { url.appendingPathComponent(try XCTUnwrap(names.first)) }
    }

    var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: file)) }
    }
}
