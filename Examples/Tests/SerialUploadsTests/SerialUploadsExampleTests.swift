import Foundation
import JobKitTesting
import XCTest

@testable import serial_uploads

final class SerialUploadsExampleTests: XCTestCase {
    /// Q1: with a concurrency limit of 1, an upload ends before the next one starts, in the order
    /// added.
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
                "uncut Start", "uncut Failed: the server returned 413",
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
            await release.waitUntilOpen()
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
            if name == "interview" { await overtaken.waitUntilOpen() }
        }
        await SerialUploadsExample.upload(to: server.folder, limit: 2) { event in
            log.record(event)
            if event == "credits Done" { overtaken.open() }
        }
        await server.stop()
        XCTAssertEqual(log.events.last, "interview Done")
    }

    func testEachUploadFailsWithoutAServer() async throws {
        let log = EventLog()
        let port = try ClosedPort()
        let folder = try XCTUnwrap(URL(string: "http://127.0.0.1:\(port.number)/movies"))
        await SerialUploadsExample.upload(to: folder) { log.record($0) }
        withExtendedLifetime(port) {}
        XCTAssertEqual(
            log.events.map { $0.components(separatedBy: ":")[0] },
            ["intro", "interview", "uncut", "credits"].flatMap { ["\($0) Start", "\($0) Failed"] }
        )
    }
}

/// A port without a listener, reserved so that no other process gets it.
private final class ClosedPort {
    let number: Int
    private let descriptor: Int32

    init() throws {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let hasPort = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        number = Int(in_port_t(bigEndian: address.sin_port))
        guard hasPort else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(descriptor) }
}
