import Foundation
import JobKitTesting
import XCTest

@testable import serial_uploads

final class SerialUploadsExampleTests: XCTestCase {
    /// Q1: at width 1 an upload ends before the next starts, in the order added.
    func testUploadsEndInTheOrderAdded() async throws {
        let (log, stored) = (EventLog(), EventLog())
        let server = try await MovieServer.start { stored.record($0) }
        await SerialUploadsExample.upload(to: server.folder) { log.record($0) }
        await server.stop()
        XCTAssertEqual(
            log.events,
            [
                "intro Start", "intro Done",
                "interview Start", "interview Done",
                "uncut Start", "uncut Failed: the server answered 413",
                "credits Start", "credits Done",
            ]
        )
        XCTAssertEqual(stored.events, ["intro", "interview", "credits"])
    }

    func testNothingStartsBesideASlowUpload() async throws {
        let log = EventLog()
        let arrived = expectation(description: "the interview has arrived")
        let release = Gate()
        let server = try await MovieServer.start { name in
            guard name == "interview" else { return }
            arrived.fulfill()
            await release.opened()
        }
        async let uploads: Void = SerialUploadsExample.upload(to: server.folder) { log.record($0) }
        await fulfillment(of: [arrived], timeout: 300)
        XCTAssertEqual(log.events, ["intro Start", "intro Done", "interview Start"])
        release.open()
        await uploads
        await server.stop()
        XCTAssertEqual(log.events.last, "credits Done")
    }

    func testUploadsOvertakeASlowOneAtWidthTwo() async throws {
        let log = EventLog()
        let overtaken = Gate()
        let server = try await MovieServer.start { name in
            if name == "interview" { await overtaken.opened() }
        }
        await SerialUploadsExample.upload(to: server.folder, width: 2) { event in
            log.record(event)
            if event == "credits Done" { overtaken.open() }
        }
        await server.stop()
        XCTAssertEqual(log.events.last, "interview Done")
    }

    func testEachUploadFailsWithoutAServer() async throws {
        let log = EventLog()
        let server = try await MovieServer.start { _ in }
        await server.stop()
        await SerialUploadsExample.upload(to: server.folder) { log.record($0) }
        XCTAssertEqual(
            log.events.map { $0.components(separatedBy: ":")[0] },
            ["intro", "interview", "uncut", "credits"].flatMap { ["\($0) Start", "\($0) Failed"] }
        )
    }
}
