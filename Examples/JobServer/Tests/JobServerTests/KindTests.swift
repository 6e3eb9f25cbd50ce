import Foundation
import JobKit
import RemoteJobs
import XCTest

@testable import JobService
@testable import job_server

final class KindTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "kinds-" + UUID().uuidString
        let manager = FileManager.default
        for name in ["allowed/below", "allowed-not", "outside"] {
            try manager.createDirectory(
                atPath: "\(folder)/\(name)",
                withIntermediateDirectories: true
            )
        }
        try manager.createSymbolicLink(
            atPath: folder + "/allowed/out",
            withDestinationPath: folder + "/outside"
        )
        try manager.createSymbolicLink(
            atPath: folder + "/in",
            withDestinationPath: folder + "/allowed/below"
        )
        try Data("x".utf8).write(to: URL(filePath: folder + "/allowed/file"))
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func field(_ kind: some JobKind, _ json: String) throws -> String? {
        let environment = JobEnvironment(
            width: 2,
            folders: AllowedFolders([folder + "/allowed"])
        )
        do throws(InvalidParameter) {
            let value: JSONValue
            do { value = try JSONParser.value(of: Array(json.utf8)) } catch { return "no JSON" }
            _ = try RegisteredKind(kind).check(value, in: environment)
            return nil
        } catch {
            return error.field
        }
    }

    func testFoldersAreAllowedByWholeComponentsAfterLinks() throws {
        let kind = FindDuplicatesKind()
        for good in ["allowed", "allowed/", "allowed/below/..", "in", "outside/../allowed/below"] {
            XCTAssertNil(try field(kind, "{\"folder\":\"\(folder)/\(good)\"}"), good)
        }
        for bad in [
            "allowed-not", "outside", "allowed/out", "allowed/..", "allowed/file", "missing", "",
            "allowed/missing", "allowed/../outside", "allowed\\u0000",
        ] {
            XCTAssertEqual(try field(kind, "{\"folder\":\"\(folder)/\(bad)\"}"), "folder", bad)
        }
        XCTAssertEqual(try field(kind, "{\"folder\":\"\"}"), "folder")
        XCTAssertThrowsError(try AllowedFolders([]).resolve("/", field: "folder"))
    }

    /// Folders with names that only look equal are different, and only the allowed one may be read.
    func testFoldersAreAllowedByTheBytesOfTheirNames() throws {
        for (allowed, other) in [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")] {
            for name in [allowed, other] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)/below",
                    withIntermediateDirectories: true
                )
            }
            let folders = AllowedFolders(["\(folder)/\(allowed)"])
            XCTAssertNoThrow(try folders.resolve("\(folder)/\(allowed)", field: "folder"))
            XCTAssertNoThrow(try folders.resolve("\(folder)/\(allowed)/below", field: "folder"))
            XCTAssertThrowsError(try folders.resolve("\(folder)/\(other)", field: "folder"))
            XCTAssertThrowsError(try folders.resolve("\(folder)/\(other)/below", field: "folder"))
        }
    }

    func testMissingAndOutsideHaveOneAnswer() {
        let folders = AllowedFolders([folder + "/allowed"])
        let sentences = ["/outside", "/missing"]
            .map { name in
                Result { try folders.resolve(folder + name, field: "folder") }
            }
            .map { "\($0)" }
        XCTAssertEqual(sentences[0], sentences[1])
    }

    func testStepsOutsideTheirBoundsAreNamed() throws {
        let kind = StepsKind()
        for good in [
            "{\"count\":0,\"milliseconds\":0}", "{\"count\":1000000,\"milliseconds\":3600000}",
            "{\"count\":5,\"milliseconds\":1,\"width\":1,\"fails\":5,\"stubborn\":true}",
        ] {
            XCTAssertNil(try field(kind, good), good)
        }
        for (bad, name) in [
            ("{\"count\":-1,\"milliseconds\":0}", "count"),
            ("{\"count\":1000001,\"milliseconds\":0}", "count"),
            ("{\"count\":1,\"milliseconds\":3600001}", "milliseconds"),
            ("{\"count\":1,\"milliseconds\":0,\"width\":0}", "width"),
            ("{\"count\":1,\"milliseconds\":0,\"fails\":2}", "fails"),
            ("{\"count\":1,\"milliseconds\":0,\"fails\":0}", "fails"),
            ("{\"count\":1,\"milliseconds\":0,\"stubborn\":1}", "stubborn"),
            ("{\"count\":1,\"milliseconds\":0,\"colour\":1}", "colour"), ("[]", "parameters"),
        ] {
            XCTAssertEqual(try field(kind, bad), name, bad)
        }
    }

    func testParametersAreKeptWithNullForWhatIsMissing() throws {
        let value = try JSONParser.value(of: Array("{\"milliseconds\":2,\"count\":1}".utf8))
        let checked = try RegisteredKind(StepsKind()).check(value, in: JobEnvironment(width: 1))
        XCTAssertEqual(
            checked.json,
            "{\"count\":1,\"fails\":null,\"milliseconds\":2,\"stubborn\":null,\"width\":null}"
        )
        XCTAssertEqual(checked.title, "1 step of 2 ms")
    }

    func testStepsFailWithTheirNumberAndSucceedWithTheirCount() async throws {
        let environment = JobEnvironment(width: 2)
        func job(_ json: String) throws -> PreparedJob {
            let value = try JSONParser.value(of: Array(json.utf8))
            return try RegisteredKind(StepsKind()).check(value, in: environment).makeJob()
        }
        let good = try job("{\"count\":30,\"milliseconds\":0}")
        try await good.job.run()
        XCTAssertEqual(try ErrorText.json(StepsResult(steps: 30)), "{\"steps\":30}")
        XCTAssertEqual((try good.result() as? StepsResult)?.steps, 30)
        let bad = try job("{\"count\":5,\"milliseconds\":0,\"fails\":4}")
        do {
            try await bad.job.run()
            XCTFail("The job succeeded")
        } catch {
            XCTAssertEqual("\(error)", "Step 4 failed, as requested.")
        }
    }

    func testHostsAndTheJobAreNamesThatABrokerCanHave() throws {
        let kind = FindDuplicatesOnHostsKind(brokers: try BrokerAddress.parse("amqp://h"))
        let long = String(repeating: "x", count: 101)
        for good in ["{\"hosts\":[\"h1\",\"h.2\"]}", "{\"hosts\":[\"h1\"],\"job\":\"nightly\"}"] {
            XCTAssertNil(try field(kind, good), good)
        }
        for bad in [
            "", "[]", "[\"\"]", "[\" \"]", "[\"a\",\"a \"]", "[\"\(long)\"]", "[1]", "\"a\"",
        ] {
            let json = bad.isEmpty ? "{}" : "{\"hosts\":\(bad)}"
            XCTAssertEqual(try field(kind, json), "hosts", bad)
        }
        for bad in ["\"\"", "\"\(long)\"", "1"] {
            XCTAssertEqual(try field(kind, "{\"hosts\":[\"h\"],\"job\":\(bad)}"), "job", bad)
        }
        let parameters = FindDuplicatesOnHostsKind.Parameters(hosts: [" h1 "], job: nil)
        let settled = try kind.check(parameters, in: JobEnvironment(width: 1))
        XCTAssertEqual(settled.hosts, ["h1"])
        XCTAssertEqual(try kind.check(settled, in: JobEnvironment(width: 1)).job, settled.job)
    }
}
