import Foundation
import JobKitTesting
import XCTest

@testable import start_up_tasks

final class StartUpTasksExampleTests: XCTestCase {
    private func launch(_ configuration: String) async -> [String] {
        let log = EventLog()
        await AppLaunch(configuration: configuration) { log.record($0) }.run()
        return log.events
    }

    /// Launches with a configuration of these servers.
    private func launch(servers: [String]) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try JSONEncoder().encode(Configuration(servers: servers)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return await launch(file.path)
    }

    func testChainGoesOnBehindTheTaskThatFailed() async {
        let events = await launch("/nowhere.json")
        XCTAssertEqual(
            events,
            [
                "Check the system's version: done",
                "Load the configuration: failed, there is no configuration in /nowhere.json",
                "Go on with the built-in configuration",
                "Choose a server: done",
                "Show the home screen, with data from localhost",
            ]
        )
    }

    func testFirstServerWithAnAddressIsChosen() async throws {
        let events = try await launch(servers: ["no server", "127.0.0.1", "localhost"])
        XCTAssertEqual(
            events,
            [
                "Check the system's version: done",
                "Load the configuration: done",
                "Choose a server: done",
                "Show the home screen, with data from 127.0.0.1",
            ]
        )
    }

    func testLaunchEndsWithoutAServer() async throws {
        let events = try await launch(servers: [])
        XCTAssertEqual(events.last, "Choose a server: failed, NoneHasAnAddress()")
    }
}
