import Foundation
import XCTest

/// Tests the page's view of the queue: its limits, its pauses, and keys of submissions.
final class PageOfQueueTests: XCTestCase {
    private let line = "document.getElementById('limits').textContent"
    private let notice = "document.getElementById('paused')"

    func testHeaderShowsTheVersionAndTheLimits() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "3", "--width", "5"])
        let browser = try Browser(on: server)
        let version = try XCTUnwrap(try server.get("/kinds").json["version"] as? String)
        try browser.wait("document.querySelector('header .version').textContent === '\(version)'")
        try browser.wait("\(line) === '0 of 3 runs executing'")
        try browser.click("#queue summary")
        try browser.wait("document.querySelector('.menu-panel').checkVisibility()")
        try browser.wait(
            "document.querySelector('.menu-panel dl').textContent.includes('Tasks at a time5')"
        )
        // Escape closes the menu, and the focus returns to it.
        try browser.press("Escape", code: 27)
        try browser.wait("!document.querySelector('.menu-panel').checkVisibility()")
        XCTAssertEqual(try browser.evaluate("document.activeElement.tagName") as? String, "SUMMARY")
        let (status, text) = try ServerProcess.run(["--version"])
        XCTAssertEqual(status, 0, text)
        XCTAssertEqual(browser.problems, [])
    }

    func testQueueIsPausedAndResumedByKeyboardAndOtherPagesShowIt() throws {
        let server = try ServerProcess(in: TestFolder())
        let (browser, other) = (try Browser(on: server), try Browser(on: server))
        try browser.wait("!document.getElementById('queue').hidden")
        try browser.evaluate("document.querySelector('#queue summary').focus()")
        try browser.enter()
        let button = "document.querySelector('.switches button')"
        try browser.wait("\(button)?.ariaLabel === 'Pause: All runs'")
        try browser.tab()
        try browser.enter()
        // The same button resumes, and has kept the focus.
        try browser.wait("document.activeElement.ariaLabel === 'Resume: All runs'")
        for page in [browser, other] {
            try page.wait("\(notice).checkVisibility()")
            try page.wait("\(line) === '0 of 4 runs executing, paused'")
        }
        let id = try server.submitSteps(1, 0).id
        try other.evaluate("location.hash = '#run-\(id)'")
        try other.wait("document.querySelector('.stall')?.innerText.includes('queue is paused')")
        XCTAssertEqual(try server.states()[id], "queued")
        try other.click("#paused button")
        try other.wait("\(notice).hidden")
        // The focus is not lost with the button.
        try other.wait("document.activeElement.tagName === 'SUMMARY'")
        try server.wait(for: id, "succeeded")
        try browser.wait("\(notice).hidden && \(line) === '0 of 4 runs executing'")
        XCTAssertEqual(browser.problems + other.problems, [])
    }

    func testAKindIsPausedAlsoAfterAReload() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("document.querySelectorAll('.switches button').length === 3")
        try browser.click("#queue summary")
        try browser.click("[aria-label='Pause: steps']")
        try browser.wait("\(notice).textContent.includes('Paused: steps.')")
        try browser.call("Page.reload")
        try browser.wait("\(line) === '0 of 4 runs executing, partly paused'")
        let id = try server.submitSteps(1, 0).id
        try browser.wait("document.querySelector('.switches').textContent.includes('1 queued')")
        try browser.click("#paused button")
        try server.wait(for: id, "succeeded")
        try browser.wait("\(notice).hidden")
        XCTAssertEqual(browser.problems, [])
    }

    func testAKeyStartsOneRunAndItsErrorIsAtItsField() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("document.getElementById('kind').options.length > 1")
        func submit(_ count: Int) throws {
            try browser.evaluate(
                """
                (() => {
                  const set = (id, value) => {
                    const field = document.getElementById(id);
                    field.value = value;
                    field.dispatchEvent(new Event('change', { bubbles: true }));
                  };
                  if (document.getElementById('kind').value !== 'steps') set('kind', 'steps');
                  set('field-count', '\(count)');
                  set('field-milliseconds', '0');
                  set('option-key', 'nightly');
                  document.querySelector('#submit button').click();
                })()
                """
            )
        }
        try submit(1)
        try browser.wait("document.querySelector('#row-1')?.dataset.state === 'succeeded'")
        try browser.wait("document.getElementById('option-key').value === ''")
        try submit(1)
        let note = "document.getElementById('form-note')"
        try browser.wait("\(note).textContent.includes('nightly already belongs to run 1')")
        XCTAssertEqual(try server.states().count, 1)
        // The same key with other parameters is an error at the field, which is then visible.
        try submit(2)
        let field = "document.getElementById('option-key')"
        try browser.wait("\(field).ariaInvalid === 'true' && \(field).checkVisibility()")
        XCTAssertEqual(try browser.evaluate("\(note).hidden") as? Bool, true)
        try browser.evaluate("location.hash = '#run-1'")
        try browser.wait("document.querySelector('.facts').textContent.includes('Keynightly')")
        XCTAssertEqual(try server.states().count, 1)
    }
}
