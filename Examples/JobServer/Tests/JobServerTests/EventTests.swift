import Foundation
import XCTest

final class EventTests: XCTestCase {
    func testSnapshotComesFirstThenChangesAndTheEndOnce() throws {
        let server = try ServerProcess(in: TestFolder())
        let before = try server.submitSteps(1, 0)
        try server.wait(for: before.id, "succeeded")
        let listener = try EventListener(server)
        let first = try listener.wait(for: "the first") { _ in true }
        XCTAssertEqual(first.name, "snapshot")
        XCTAssertTrue(first.data.hasPrefix("[{\"id\":\(before.id),"))
        let began = ContinuousClock.now
        let id = try server.submitSteps(200, 5).id
        try listener.wait(for: "the end") {
            $0.run["id"] as? Int == id && $0.run["state"] as? String == "succeeded"
        }
        let events = listener.all.filter { $0.run["id"] as? Int == id }
        let progress = events.compactMap { $0.run["progress"] as? Double }
        XCTAssertEqual(progress, progress.sorted(), "Progress goes back")
        let finished = events.compactMap { $0.run["tasksFinished"] as? Int }
        XCTAssertEqual(finished, finished.sorted())
        XCTAssertEqual(events.filter { $0.run["state"] as? String == "succeeded" }.count, 1)
        // All events were sent in this time, even if they were read late.
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        XCTAssertLessThanOrEqual(Double(events.count), 20 * seconds + 5)
    }

    func testTheEndIsInTheDatabaseBeforeItIsTold() throws {
        let server = try ServerProcess(in: TestFolder())
        let listener = try EventListener(server)
        for _ in 0..<10 {
            let id = try server.submitSteps(1, 0).id
            try listener.wait(for: "the end of \(id)") {
                $0.run["id"] as? Int == id && $0.run["state"] as? String == "succeeded"
            }
            XCTAssertEqual(
                try server.get("/jobs?state=succeeded&limit=1").text.contains("\"id\":\(id),"),
                true
            )
        }
    }

    func testTheHundredAndFirstListenerIsRefused() throws {
        let server = try ServerProcess(in: TestFolder())
        var listeners = try (0..<100).map { _ in try EventListener(server) }
        XCTAssertEqual(try server.get("/events").status, 503)
        listeners.removeLast().close()
        try waitUntil("a place is free") {
            guard let listener = try? EventListener(server) else { return false }
            listeners.append(listener)
            return true
        }
    }

    func testListenersThatDoNotReadHoldNobodyUp() throws {
        let server = try ServerProcess(in: TestFolder())
        let stuck = try (0..<5).map { _ in try Connection(port: server.port, receiveBuffer: 2_048) }
        for connection in stuck {
            try connection.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        }
        let listener = try EventListener(server)
        for _ in 0..<100 { _ = try server.submitSteps(1, 0) }
        try listener.wait(for: "the last end") {
            $0.run["id"] as? Int == 100 && $0.run["state"] as? String == "succeeded"
        }
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        withExtendedLifetime(stuck) {}
    }
}
