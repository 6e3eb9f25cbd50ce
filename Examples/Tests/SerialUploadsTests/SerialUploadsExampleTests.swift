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
                "a Start", "a Done",
                "b Start", "b Done",
                "c Start", "c Failed: the server answered 413",
                "d Start", "d Done",
            ]
        )
        XCTAssertEqual(stored.events, ["a", "b", "d"])
    }

    func testNothingStartsBesideASlowUpload() async throws {
        let log = EventLog()
        let arrived = expectation(description: "b has arrived")
        let release = Gate()
        let server = try await MovieServer.start { name in
            guard name == "b" else { return }
            arrived.fulfill()
            await release.opened()
        }
        async let uploads: Void = SerialUploadsExample.upload(to: server.folder) { log.record($0) }
        await fulfillment(of: [arrived], timeout: 60)
        XCTAssertEqual(log.events, ["a Start", "a Done", "b Start"])
        release.open()
        await uploads
        await server.stop()
        XCTAssertEqual(log.events.last, "d Done")
    }

    func testUploadsOvertakeASlowOneAtWidthTwo() async throws {
        let log = EventLog()
        let overtaken = Gate()
        let server = try await MovieServer.start { name in
            if name == "b" { await overtaken.opened() }
        }
        await SerialUploadsExample.upload(to: server.folder, width: 2) { event in
            log.record(event)
            if event == "d Done" { overtaken.open() }
        }
        await server.stop()
        XCTAssertEqual(log.events.last, "b Done")
    }

    func testEachUploadFailsWithoutAServer() async throws {
        let log = EventLog()
        let server = try await MovieServer.start { _ in }
        await server.stop()
        await SerialUploadsExample.upload(to: server.folder) { log.record($0) }
        XCTAssertEqual(
            log.events.map { String($0.prefix(8)) },
            ["a", "b", "c", "d"].flatMap { ["\($0) Start", "\($0) Failed"] }
        )
    }
}
