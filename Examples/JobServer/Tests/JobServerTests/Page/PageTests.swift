import Foundation
import XCTest

final class PageTests: XCTestCase {
    private let firstRow = "document.querySelector('#runs tbody tr')"

    func testSearchIsSubmittedWatchedCancelledAndRunAgainByKeyboardAlone() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("!document.getElementById('nothing').hidden")
        try browser.wait("document.getElementById('kind').options.length === 2")
        // The order is: skip link, queue, kind, and the form's fields.
        try browser.wait("!document.getElementById('queue').hidden")
        for _ in 1...3 { try browser.tab() }
        XCTAssertEqual(try browser.evaluate("document.activeElement.id") as? String, "kind")
        try browser.press("s", code: 83, text: "s")
        try browser.wait("document.getElementById('field-count')")
        try browser.tab()
        try browser.type("400")
        try browser.tab()
        try browser.type("3600000")
        try browser.enter()
        try browser.wait("\(firstRow)?.dataset.state === 'running'")
        try browser.wait("\(firstRow).textContent.includes('0 of 400 tasks')")
        try browser.evaluate("\(firstRow).querySelector('button').focus()")
        try browser.enter()
        try browser.wait("\(firstRow).dataset.state === 'cancelled'")
        // The button was replaced by another one, and the focus stayed.
        let text = "document.activeElement.textContent"
        XCTAssertEqual(try browser.evaluate(text) as? String, "Run again")
        try browser.wait(
            "document.getElementById('announcement').textContent.includes('cancelled')"
        )
        try browser.enter()
        try browser.wait("document.querySelectorAll('#runs tbody tr').length === 2")
        try browser.wait("\(firstRow).textContent.includes('attempt 2')")
        XCTAssertEqual(browser.problems, [])
    }

    /// A browser opens six connections to a host.
    ///
    /// If each page used one for its stream, the seventh page would never open, and all pages would
    /// wait for answers to their requests.
    func testEightPagesOfOneBrowserShareAStream() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser()
        var windows: [String] = []
        for _ in 1...8 {
            windows.append(try browser.openWindow())
            try browser.open("http://127.0.0.1:\(server.port)/")
            try browser.wait("document.getElementById('connection')?.dataset.state === 'live'")
        }
        let status = try browser.evaluate(
            """
            fetch("/jobs", {
              method: "POST",
              headers: { "Content-Type": "application/json" },
              body: JSON.stringify({ kind: "steps", parameters: { count: 1, milliseconds: 1 } }),
            }).then((answer) => answer.status)
            """
        )
        XCTAssertEqual(status as? Int, 201)
        for window in windows {
            browser.use(window)
            try browser.wait("\(firstRow)?.dataset.state === 'succeeded'")
        }
        XCTAssertEqual(browser.problems, [])
    }

    func testErrorsStandAtTheirField() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("document.getElementById('field-folder')")
        try browser.evaluate("document.getElementById('field-folder').value = '/etc'")
        try browser.evaluate("document.querySelector('#submit button').click()")
        try browser.wait("document.activeElement.getAttribute('aria-invalid') === 'true'")
        let described = try browser.evaluate(
            """
            document.activeElement.getAttribute('aria-describedby').split(' ')
              .map((id) => document.getElementById(id)).filter((node) => !node.hidden)
              .map((node) => node.textContent).join(' ')
            """
        )
        XCTAssertTrue("\(described ?? "")".contains("No such folder may be read here."))
        XCTAssertEqual(try browser.evaluate("document.activeElement.name") as? String, "folder")
    }

    func testDetailShowsWhatItWaitsForThenErrorAndTimeline() throws {
        let server = try ServerProcess(in: TestFolder(), ["--width", "2"])
        let waiting = try server.submitSteps(50, 3_600_000).id
        try server.wait(for: waiting, "running")
        let browser = try Browser(on: server, path: "/#run-\(waiting)")
        try browser.wait("document.querySelector('.stall')?.textContent.includes('executing')")
        // Equal lines are shown once.
        try browser.wait("document.querySelectorAll('.stall li').length < 10")
        try browser.wait("document.querySelector('#detail ul').textContent.length > 0")
        XCTAssertEqual(try server.post("/jobs/\(waiting)/cancel").status, 202)
        let failing = try server.submitSteps(3, 1, ",\"fails\":2").id
        try server.wait(for: failing, "failed")
        try browser.evaluate("location.hash = '#run-\(failing)'")
        try browser.wait(
            "document.querySelector('.problem.box')?.textContent.startsWith('Step 2 failed')"
        )
        try browser.wait("document.querySelector('.timeline svg rect')")
        let scrolls = "(({scrollWidth, clientWidth}) => scrollWidth >= clientWidth)"
        XCTAssertEqual(
            try browser.evaluate("\(scrolls)(document.querySelector('.timeline'))") as? Bool,
            true
        )
        XCTAssertEqual(browser.problems, [])
    }

    func testPhoneShowsCardsAndNothingIsWiderThanTheScreen() throws {
        let server = try ServerProcess(in: TestFolder())
        try server.wait(for: server.submitSteps(3, 1).id, "succeeded")
        let browser = try Browser(on: server)
        try browser.show(width: 360, height: 800)
        try browser.wait(
            "getComputedStyle(document.querySelector('#runs tbody tr')).display === 'grid'"
        )
        try browser.evaluate("location.hash = '#run-1'")
        try browser.wait("document.querySelector('.timeline svg')")
        let width = try browser.evaluate("document.documentElement.scrollWidth") as? Int
        XCTAssertLessThanOrEqual(try XCTUnwrap(width), 360)
        XCTAssertEqual(browser.problems, [])
    }

    func testTextHasContrastInLightAndDark() throws {
        let server = try ServerProcess(in: TestFolder())
        for more in ["", ",\"fails\":1"] { _ = try server.submitSteps(1, 0, more) }
        let held = try server.submitSteps(1, 3_600_000).id
        let cancelled = try server.submitSteps(1, 3_600_000).id
        XCTAssertEqual(try server.post("/jobs/\(cancelled)/cancel").status, 202)
        try server.wait(for: held, "running")
        let browser = try Browser(on: server, path: "/#run-\(held)")
        try browser.wait("document.querySelector('.stall li')")
        for dark in [false, true] {
            try browser.show(dark: dark, calm: true)
            try browser.wait("matchMedia('(prefers-color-scheme: dark)').matches === \(dark)")
            let weak = try browser.evaluate(Self.weakTexts) as? [String]
            XCTAssertEqual(weak, [], dark ? "dark" : "light")
        }
        let ground = "getComputedStyle(document.querySelector('.timeline svg')).backgroundColor"
        try browser.wait("document.querySelector('.timeline svg')")
        XCTAssertEqual(try browser.evaluate(ground) as? String, "rgb(22, 27, 33)")
    }

    func testEveryControlHasAName() throws {
        let server = try ServerProcess(in: TestFolder())
        try server.wait(for: server.submitSteps(1, 0).id, "succeeded")
        let browser = try Browser(on: server)
        try browser.wait("document.querySelector('#runs tbody button')")
        try browser.call("Accessibility.enable")
        let tree = try browser.call("Accessibility.getFullAXTree")
        let roles = ["button", "link", "textbox", "combobox", "checkbox", "progressbar"]
        var count = 0
        for node in tree["nodes"] as? [[String: Any]] ?? [] where node["ignored"] as? Bool != true {
            let role = (node["role"] as? [String: Any])?["value"] as? String ?? ""
            guard roles.contains(role) else { continue }
            count += 1
            let name = (node["name"] as? [String: Any])?["value"] as? String ?? ""
            XCTAssertFalse(name.isEmpty, "\(node)")
        }
        XCTAssertGreaterThan(count, 5)
    }

    func testNothingIsLostWhenTheConnectionIs() throws {
        let folder = try TestFolder()
        // Not one of the ports that the system gives to connections, because the next server needs
        // it again.
        let port = ["--port", "\(try BrokerProcess.freePorts())"]
        let server = try ServerProcess(in: folder, port)
        let id = try server.submitSteps(1, 3_600_000).id
        let browser = try Browser(on: server)
        try browser.wait("\(firstRow)?.dataset.state === 'running'")
        try browser.wait("document.getElementById('field-folder')")
        try browser.evaluate("document.getElementById('field-folder').value = 'typed'")
        server.signal(SIGKILL)
        try server.end()
        try browser.wait("document.getElementById('connection').dataset.state === 'lost'")
        let next = try ServerProcess(in: folder, port)
        try browser.wait("document.getElementById('connection').dataset.state === 'live'")
        try browser.wait("document.querySelector('#row-\(id)')?.dataset.state === 'interrupted'")
        let typed = try browser.evaluate("document.getElementById('field-folder').value")
        XCTAssertEqual(typed as? String, "typed")
        next.signal(SIGTERM)
        XCTAssertEqual(try next.end(), 0)
    }

    func testLoginLetsIn() throws {
        let folder = try TestFolder()
        let token = try folder.write("s3cret-of-16-chars", to: "token")
        let server = try ServerProcess(in: folder, ["--token-file", token])
        let browser = try Browser()
        try browser.show()
        try browser.open("http://127.0.0.1:\(server.port)/")
        // The script has run once the page is complete.
        try browser.wait("document.readyState === 'complete' && document.getElementById('token')")
        try browser.evaluate("document.getElementById('token').focus()")
        try browser.type("wrong")
        try browser.enter()
        try browser.wait("!document.getElementById('token-error').hidden")
        try browser.evaluate("document.getElementById('token').value = ''")
        try browser.type("s3cret-of-16-chars")
        try browser.enter()
        try browser.wait("document.getElementById('connection')?.dataset.state === 'live'")
    }

    /// Texts with a contrast below 4.5 to their background, except in pictures.
    private static let weakTexts = """
        (() => {
          const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
          const light = (colour) => {
            const [r, g, b] = parts(colour).slice(0, 3).map((part) => {
              const value = part / 255;
              return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const behind = (node) => {
            for (let at = node; at; at = at.parentElement) {
              const colour = getComputedStyle(at).backgroundColor;
              const alpha = parts(colour)[3];
              if (alpha === undefined || alpha > 0) return colour;
            }
            return 'rgb(255, 255, 255)';
          };
          const weak = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const node = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || node.closest('svg, script, noscript, option')) continue;
            if (!node.checkVisibility()) continue;
            const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort();
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5) weak.push(`${walker.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
          }
          return weak;
        })()
        """
}
