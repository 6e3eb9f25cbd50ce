import Foundation
import XCTest

/// Tests the actions of the page: for many runs, with questions, and with undo.
final class PageOfActionsTests: XCTestCase {
    private let rowCount = "document.querySelectorAll('#runs tbody tr').length"

    func testADeletionCanBeUndone() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(1, 0).id
        try server.wait(for: id, "succeeded")
        let browser = try Browser(on: server, path: "/#run-\(id)")
        try browser.wait("document.querySelector('.delete')?.checkVisibility()")
        try browser.click(".delete")
        try browser.wait("\(rowCount) === 0 && document.getElementById('detail').hidden")
        // The focus is on the button that undoes it.
        XCTAssertEqual(try browser.text(":focus"), "Undo")
        try browser.enter()
        try browser.wait("\(rowCount) === 1 && document.getElementById('undo').hidden")
        try browser.wait("document.activeElement.hash === '#run-\(id)'")
        XCTAssertEqual(try server.get("/jobs/\(id)").status, 200)
        XCTAssertEqual(browser.problems, [])
    }

    func testADeletionHappensWithoutUndoAndWhenThePageIsClosed() throws {
        let server = try ServerProcess(in: TestFolder())
        let (first, second) = (try server.submitSteps(1, 0).id, try server.submitSteps(1, 0).id)
        try server.wait(for: second, "succeeded")
        let browser = try Browser(on: server, path: "/#run-\(first)")
        try browser.wait("document.querySelector('.delete')?.checkVisibility()")
        try browser.click(".delete")
        try browser.wait("!document.getElementById('undo').hidden")
        try browser.wait("document.getElementById('undo').hidden && \(rowCount) === 1")
        try waitUntil("it is deleted") { try server.get("/jobs/\(first)").status == 404 }
        try browser.evaluate("location.hash = '#run-\(second)'")
        try browser.wait(
            "document.querySelector('#detail h2').textContent === '1 step of 0 ms' "
                + "&& document.querySelector('.delete').checkVisibility()"
        )
        try browser.click(".delete")
        try browser.wait("!document.getElementById('undo').hidden")
        try browser.open("about:blank")
        try waitUntil("it is deleted") { try server.get("/jobs/\(second)").status == 404 }
    }

    /// A press on the button of the wrong row once cancelled a run of hours.
    func testCancellingALongRunNeedsASecondPress() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: id, "running")
        let browser = try Browser(on: server, path: "/#run-\(id)")
        try browser.wait("document.querySelector('#detail .actions button')?.checkVisibility()")
        // Ten minutes later.
        try browser.evaluate("{ const now = Date.now; Date.now = () => now() + 600000; }")
        for button in ["#row-\(id) button", "#detail .actions button"] {
            try browser.click(button)
            try browser.wait(
                "document.querySelector(`\(button)`).textContent === 'Really cancel?'"
            )
        }
        XCTAssertEqual(try server.get("/jobs/\(id)").json["cancelRequestedAt"] as? Int, nil)
        try browser.confirm("#row-\(id) button")
        try browser.wait("document.querySelector('#row-\(id)').dataset.state === 'cancelled'")
        XCTAssertEqual(browser.problems, [])
    }

    func testAllRunsOfAStateAreCancelledAndRunAgainAlsoThoseThatAreNotShown() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        let running = try server.submitSteps(1, 3_600_000).id
        for _ in 0..<120 { _ = try server.submitSteps(1, 0, ",\"fails\":1") }
        let browser = try Browser(on: server, path: "/?state=queued")
        let bulk = "document.getElementById('bulk')"
        try browser.wait("\(bulk).textContent === 'Cancel all 120 queued runs'")
        try browser.click("#bulk")
        try browser.wait("\(bulk).textContent === 'Cancel all 120 queued runs, really?'")
        XCTAssertEqual(try server.states().values.count { $0 == "queued" }, 120)
        try browser.confirm("#bulk")
        try waitUntil("all are cancelled") {
            try server.states().values.count { $0 == "cancelled" } == 120
        }
        for _ in 0..<3 { _ = try server.submitSteps(1, 0, ",\"fails\":1") }
        _ = try server.post("/jobs/\(running)/cancel")
        try waitUntil("three have failed") {
            try server.states().values.count { $0 == "failed" } == 3
        }
        let other = try Browser(on: server, path: "/?state=failed")
        try other.wait("\(bulk).textContent === 'Run all 3 failed runs again'")
        try other.confirm("#bulk")
        try waitUntil("all have run again") {
            try server.states().values.count { $0 == "failed" } == 6
        }
        try other.wait(
            "document.getElementById('bulk-done').textContent === '3 runs were submitted again.'"
        )
        XCTAssertEqual(browser.problems + other.problems, [])
    }

    func testThePriorityOfAQueuedRunIsChanged() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        let running = try server.submitSteps(1, 3_600_000).id
        let ids = try (0..<3).map { _ in try server.submitSteps(1, 3_600_000).id }
        let browser = try Browser(on: server, path: "/#run-\(ids[2])")
        try browser.wait("document.querySelector('.priority')?.checkVisibility()")
        try browser.evaluate("document.getElementById('detail-priority').focus()")
        try browser.evaluate("document.getElementById('detail-priority').value = 'high'")
        try browser.enter()
        try browser.wait(
            "document.querySelector('#detail .refusal').textContent.includes('priority must be')"
        )
        try browser.evaluate("document.getElementById('detail-priority').value = '7'")
        try browser.enter()
        let stall = "document.querySelector('.stall').textContent"
        try browser.wait("\(stall).includes('starts next of 3')")
        // The page shows that the server is full.
        try browser.wait(
            "document.getElementById('limits').textContent === '1 of 1 runs executing, full'"
        )
        _ = try server.post("/jobs/\(running)/cancel")
        try server.wait(for: ids[2], "running")
        try browser.wait("!document.querySelector('.priority').checkVisibility()")
    }
}
