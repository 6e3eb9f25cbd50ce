import Foundation
import XCTest

/// Tests the actions for the runs that a person has selected.
final class PageOfSelectionTests: XCTestCase {
    private let rowCount = "document.querySelectorAll('#runs tbody tr').length"
    private let bar = "document.getElementById('selection')"

    private func select(_ ids: [Int], in browser: Browser) throws {
        for id in ids { try browser.click("#row-\(id) input") }
    }

    func testSelectedRunsAreCancelledRunAgainAndDeleted() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        let running = try server.submitSteps(1, 3_600_000).id
        let queued = try (0..<4).map { _ in try server.submitSteps(1, 0).id }
        let browser = try Browser(on: server)
        try browser.wait("\(rowCount) === 5 && \(bar).hidden")
        try select([queued[1], queued[2], running], in: browser)
        try browser.wait("\(bar).innerText.startsWith('3 selected')")
        let cancel = "#selection button:first-of-type"
        XCTAssertEqual(try browser.text(cancel), "Cancel 3")
        // Runs that have not ended can be neither repeated nor deleted.
        XCTAssertFalse(try browser.evaluate("\(bar).innerText.includes('Delete')") as? Bool ?? true)
        try select([running], in: browser)
        try browser.click(cancel)
        try browser.wait("document.querySelector('\(cancel)').textContent.startsWith('Cancel 2')")
        XCTAssertEqual(try server.states()[queued[1]], "queued")
        try browser.confirm(cancel)
        try browser.wait("\(bar).hidden")
        try browser.wait("document.activeElement.id === 'runs-heading'")
        let done = "document.getElementById('bulk-done').textContent"
        try browser.wait("\(done) === '2 runs are being cancelled.'")
        XCTAssertEqual(
            try queued.map { try server.states()[$0] },
            ["queued", "cancelled", "cancelled", "queued"]
        )

        // The bar offers each action for the runs that it applies to.
        try select(queued, in: browser)
        try browser.wait("\(bar).innerText.includes('Cancel 2')")
        try browser.wait("\(bar).innerText.includes('Delete 2')")
        let delete = "#selection .erase"
        try browser.confirm(delete)
        try browser.wait("\(done) === '2 runs were deleted.' && \(rowCount) === 3")
        XCTAssertEqual(try server.get("/jobs/\(queued[1])").status, 404)

        _ = try server.post("/jobs/\(running)/cancel")
        try browser.wait("document.getElementById('row-\(running)').dataset.state === 'cancelled'")
        try select([running], in: browser)
        let again = "#selection button:nth-of-type(2)"
        try browser.wait("document.querySelector('\(again)').textContent === 'Run 1 again'")
        try browser.confirm(again)
        try browser.wait("\(done) === '1 run was submitted again.'")
        XCTAssertEqual(browser.problems, [])
    }

    func testRefusedActionsOfASelectionAreCountedWithTheirReason() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(1, 0, ",\"fails\":1").id
        try server.wait(for: id, "failed")
        let browser = try Browser(on: server)
        try browser.wait("\(rowCount) === 1")
        // It is followed by a run that this page does not show yet.
        try browser.evaluate(
            """
            { const real = window.fetch;
              window.fetch = async (path, options) => {
                if (path === '/jobs/\(id)/run-again') await real(path, options);
                return real(path, options);
              }; }
            """
        )
        _ = try server.post("/kinds/steps/pause")
        try select([id], in: browser)
        try browser.confirm("#selection button:nth-of-type(2)")
        let done = "document.getElementById('bulk-done').textContent"
        try browser.wait(
            "\(done) === '1 refused: Run \(id + 1) follows this run, and has not ended.'"
        )
    }

    func testAllRowsAndRangesOfRowsAreSelected() throws {
        let server = try ServerProcess(in: TestFolder())
        var last = 0
        for _ in 0..<8 { last = try server.submitSteps(1, 0).id }
        try server.wait(for: last, "succeeded")
        let browser = try Browser(on: server)
        try browser.wait("\(rowCount) === 8")
        let count = "\(bar).querySelector('span').textContent"
        try browser.click("#runs tbody tr:nth-child(2) input")
        try browser.evaluate(
            """
            document.querySelector('#runs tbody tr:nth-child(5) input')
              .dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }))
            """
        )
        try browser.wait("\(count) === '4 selected'")
        let every = "document.getElementById('select-all')"
        XCTAssertEqual(try browser.evaluate("\(every).indeterminate") as? Bool, true)
        try browser.evaluate("\(every).focus()")
        try browser.press(" ", code: 32, text: " ")
        try browser.wait("\(count) === '8 selected' && \(every).checked")
        // A new run is not selected.
        _ = try server.submitSteps(1, 0)
        try browser.wait("\(rowCount) === 9 && \(every).indeterminate")
        try browser.click("#selection button:last-of-type")
        try browser.wait("\(bar).hidden && !\(every).indeterminate")
        XCTAssertEqual(
            try browser.evaluate("document.querySelectorAll('#runs :checked').length") as? Int,
            0
        )
        XCTAssertEqual(browser.problems, [])
    }
}
