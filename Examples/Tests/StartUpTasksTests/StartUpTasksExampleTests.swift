import JobKitTesting
import XCTest

@testable import start_up_tasks

final class StartUpTasksExampleTests: XCTestCase {
    func testChainGoesOnBehindTheTaskThatFailed() async {
        let log = EventLog()
        await AppLaunch(configuration: "/nowhere.json") { log.record($0) }.run()
        XCTAssertEqual(
            log.events,
            [
                "Check the version: done",
                "Load the configuration: failed, there is no file /nowhere.json",
                "Go on with the built-in configuration",
                "Choose a server: done",
                "Show the home screen",
            ]
        )
    }

    func testChainRunsToItsEnd() async {
        let log = EventLog()
        await AppLaunch(configuration: #filePath) { log.record($0) }.run()
        XCTAssertEqual(
            log.events,
            [
                "Check the version: done",
                "Load the configuration: done",
                "Choose a server: done",
                "Show the home screen",
            ]
        )
    }
}
