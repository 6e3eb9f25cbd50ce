import JobKit
import JobKitTesting
import XCTest

@testable import launch_decisions

final class LaunchDecisionsExampleTests: XCTestCase {
    func testLaunchShowsOneAlertAtATime() {
        let log = EventLog()
        LaunchDecisionsExample.playLaunch { log.record($0) }
        XCTAssertEqual(
            log.events.filter { !$0.hasPrefix("#") },
            [
                "Show the advertisement",
                "Mark the tab with a red dot",
                "Hide the advertisement",
                "Show the change of city",
                "Put on the new skin",
                "Hide the change of city",
                "Show the upgrade alert",
                "Show the change of city",
                "Hide the change of city",
                "Show the advertisement",
                "Open the notification's page",
            ]
        )
    }

    func testNotificationIsCompletedByItsPresentation() {
        let decisions = HomeScreen { _ in }.decisions
        decisions.set(.needed, for: .notification)
        decisions.open()
        XCTAssertEqual(decisions.state(of: .notification), .completed)
    }
}
