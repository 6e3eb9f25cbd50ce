import Foundation
import XCTest

/// Tests the page while something fails.
final class PageOfTroubleTests: XCTestCase {
    private func open(
        _ server: ServerProcess,
        path: String = "/",
        width: Int = 1_200
    ) throws -> Browser {
        let browser = try Browser()
        try browser.show(width: width)
        try browser.open("http://127.0.0.1:\(server.port)\(path)")
        try browser.wait("document.getElementById('connection')?.dataset.state === 'live'")
        return browser
    }

    func testWhatRunsLongestAndWhatHasFailedComesFirstWithTotalsOfAll() throws {
        let server = try ServerProcess(in: TestFolder())
        let stuck = try server.submitSteps(1, 3_600_000).id
        let failed = try server.submitSteps(1, 0, ",\"fails\":1").id
        var last = 0
        for _ in 0..<150 { last = try server.submitSteps(1, 0).id }
        try server.wait(for: last, "succeeded")
        let browser = try open(server)
        let ids =
            "[...document.querySelectorAll('#runs tbody tr')].slice(0, 3).map((row) => row.id).join()"
        try browser.wait("\(ids) === 'row-\(stuck),row-\(failed),row-\(last)'")
        try browser.wait(
            "document.getElementById('summary').textContent === '1 running · 1 failed · 152 in all'"
        )
        try browser.wait("document.title === '1 running, 1 failed – job-server'")
        XCTAssertEqual(browser.problems, [])
    }

    /// On a phone, the details of a run are below the rows.
    ///
    /// A link to a run once showed the form instead.
    func testALinkToARunShowsItOnAPhone() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(1, 3_600_000, ",\"stubborn\":true").id
        var last = 0
        for _ in 0..<30 { last = try server.submitSteps(1, 0).id }
        try server.wait(for: last, "succeeded")
        let browser = try open(server, path: "/#run-\(id)", width: 390)
        try browser.wait("document.querySelectorAll('#runs tbody tr').length === 31")
        let top = "document.getElementById('detail').getBoundingClientRect().top"
        try browser.wait("\(top) >= 0 && \(top) < innerHeight / 2")
        // Its row, which came after its details, is marked.
        try browser.wait("document.getElementById('row-\(id)').ariaCurrent === 'true'")
        // A flag is shown as a word.
        try browser.wait(
            "document.querySelector('.facts').textContent.includes('Ignores cancelyes')"
        )
    }

    /// The page once showed neither the failing database nor that the end of a run could not be
    /// saved.
    func testThePageSaysThatTheDatabaseCannotBeWritten() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder)
        let id = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: id, "running")
        let browser = try open(server)
        let lock = try DatabaseLock(on: folder.data, in: folder)
        let warning = "document.getElementById('trouble')"
        try browser.wait("\(warning).checkVisibility()")
        try browser.wait("\(warning).textContent.includes('database is locked')")
        lock.release()
        try browser.wait("\(warning).hidden")
    }

    func testTheFilterIsInTheAddressAndAskedOfTheServer() throws {
        let server = try ServerProcess(in: TestFolder())
        let failed = try server.submitSteps(2, 0, ",\"fails\":1").id
        for _ in 0..<3 { try server.wait(for: server.submitSteps(1, 0).id, "succeeded") }
        let browser = try open(server, path: "/?state=failed&text=2%20STEPS")
        let ids = "[...document.querySelectorAll('#runs tbody tr')].map((row) => row.id).join()"
        // The server's answer contains the totals. Until it arrives, the list comes from the
        // stream.
        try browser.wait("document.body.textContent.includes('1 failed · 4 in all')")
        try browser.wait("\(ids) === 'row-\(failed)'")
        try browser.wait("document.querySelector('#filter').elements.state.value === 'failed'")
        try browser.evaluate(
            """
            (() => {
              const { elements } = document.querySelector('#filter');
              elements.state.value = 'succeeded';
              elements.text.value = '';
              elements.state.dispatchEvent(new Event('input', { bubbles: true }));
            })()
            """
        )
        try browser.wait("document.querySelectorAll('#runs tbody tr').length === 3")
        XCTAssertEqual(try browser.evaluate("location.search") as? String, "?state=succeeded")
    }

    func testARefusedActionSaysWhyWhereItWasClickedAndCancelSaysCancelling() throws {
        let folder = try TestFolder()
        let name = "\u{202E}gnp.exe"
        let searched = folder.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: searched,
            withIntermediateDirectories: true
        )
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(searched)\"}}"
        let search = try server.post("/jobs", body).id
        try server.wait(for: search, "succeeded")
        try FileManager.default.removeItem(atPath: searched)
        let stubborn = try server.submitSteps(1, 3_600_000, ",\"stubborn\":true").id
        try server.wait(for: stubborn, "runs") { $0["tasksTracked"] as? Int == 1 }
        let browser = try open(server)
        let row = "document.getElementById('row-\(search)')"
        try browser.wait("\(row)?.textContent.includes('\\\\u{202e}gnp.exe')")
        try browser.evaluate("\(row).querySelector('button').click()")
        try browser.wait("\(row).querySelector('.refusal').checkVisibility()")
        try browser.wait(
            "\(row).querySelector('.refusal').textContent === 'No such folder may be read here.'"
        )
        let hung = "document.getElementById('row-\(stubborn)')"
        try browser.evaluate("\(hung).querySelector('button').click()")
        try browser.wait("\(hung).querySelector('.state').textContent.includes('cancelling')")
        // A page that has not requested the cancellation shows the same.
        let other = try open(server, path: "/#run-\(stubborn)")
        try other.wait(
            "document.querySelector('#detail .state').textContent.includes('cancelling')"
        )
    }

    /// Each update, half a second after the last one, once removed the selection of a task's name.
    func testADetailStaysUnderSelectionAndScroll() throws {
        let server = try ServerProcess(in: TestFolder(), ["--width", "2"])
        let id = try server.submitSteps(3_000, 50).id
        try server.wait(for: id, "running")
        let browser = try open(server, path: "/#run-\(id)")
        try browser.wait("document.querySelectorAll('.tree li').length > 100")
        try browser.evaluate(
            """
            (() => {
              document.querySelector('.tree').scrollTop = 200;
              getSelection().selectAllChildren(document.querySelector('.tree li:nth-child(9) bdi'));
            })()
            """
        )
        let selected = "getSelection().toString()"
        let before = try XCTUnwrap(try browser.evaluate(selected) as? String)
        XCTAssertTrue(before.hasPrefix("Step"), before)
        // The facts are still updated.
        let facts = "document.querySelector('.facts dd').textContent"
        let first = try XCTUnwrap(try browser.evaluate(facts) as? String)
        try browser.wait("\(facts) !== '\(first)'")
        XCTAssertEqual(try browser.evaluate(selected) as? String, before)
        XCTAssertEqual(
            try browser.evaluate("document.querySelector('.tree').scrollTop") as? Int,
            200
        )
    }
}
