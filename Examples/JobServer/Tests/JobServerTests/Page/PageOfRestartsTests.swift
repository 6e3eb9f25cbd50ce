import Foundation
import XCTest

/// Tests the page with lost answers, restarts, and many or deleted runs.
final class PageOfRestartsTests: XCTestCase {
    private let rowCount = "document.querySelectorAll('#runs tbody tr').length"

    func testAllRunsCanBeReachedWhenOldOnesHaveFailed() throws {
        let server = try ServerProcess(in: TestFolder())
        for _ in 0..<10 { _ = try server.submitSteps(1, 0, ",\"fails\":1") }
        var last = 0
        for _ in 0..<250 { last = try server.submitSteps(1, 0).id }
        try server.wait(for: last, "succeeded")
        let browser = try Browser(on: server)
        try browser.wait("\(rowCount) === 110")
        let older = "document.getElementById('older')"
        try browser.wait("!\(older).hidden")
        try browser.evaluate("\(older).click()")
        try browser.wait("\(rowCount) === 210")
        try browser.evaluate("\(older).click()")
        try browser.wait("\(rowCount) === 260 && \(older).hidden")
        XCTAssertEqual(browser.problems, [])
    }

    func testRunThatIsDeletedElsewhereGoes() throws {
        let server = try ServerProcess(in: TestFolder())
        let (first, second) = (try server.submitSteps(1, 0).id, try server.submitSteps(1, 0).id)
        try server.wait(for: second, "succeeded")
        let browser = try Browser(on: server, path: "/#run-\(first)")
        try browser.wait("\(rowCount) === 2 && !document.getElementById('detail').hidden")
        XCTAssertEqual(
            try server.request("DELETE", "/jobs/\(first)", ["Content-Type: application/json"])
                .status,
            204
        )
        try browser.wait("\(rowCount) === 1 && document.getElementById('detail').hidden")
        try browser.wait("document.getElementById('row-\(second)')")
    }

    func testSubmissionWhoseAnswerIsLostIsOneRun() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("document.getElementById('kind').options.length > 1")
        try browser.evaluate(
            """
            (() => {
              const real = window.fetch;
              let isLost = false;
              window.fetch = async (path, options) => {
                const answer = await real(path, options);
                if (path !== '/jobs' || options?.method !== 'POST' || isLost) return answer;
                isLost = true;
                throw new TypeError('lost');
              };
              const kind = document.getElementById('kind');
              kind.value = 'steps';
              kind.dispatchEvent(new Event('change', { bubbles: true }));
              document.getElementById('field-count').value = '1';
              document.getElementById('field-milliseconds').value = '0';
            })()
            """
        )
        let press = "document.querySelector('#submit button').click()"
        try browser.evaluate(press)
        try browser.wait("!document.getElementById('form-error').hidden")
        try browser.evaluate(press)
        try browser.wait("document.getElementById('form-error').hidden && \(rowCount) === 1")
        try browser.wait("!document.querySelector('#submit button').ariaDisabled")
        XCTAssertEqual(try server.states().count, 1)
        // Another submission creates another run.
        try browser.evaluate(press)
        try browser.wait("\(rowCount) === 2")
    }

    func testServerThatHasStoppedIsLost() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        try browser.wait("document.getElementById('connection').dataset.state === 'lost'")
    }

    func testPageAsksForTheTokenWhenARestartHasEndedItsSession() throws {
        let folder = try TestFolder()
        let token = try folder.write("s3cret-of-16-chars", to: "token")
        let options = ["--port", "\(try BrokerProcess.freePorts())", "--token-file", token]
        let server = try ServerProcess(in: folder, options)
        let browser = try Browser()
        try browser.show()
        try browser.open("http://127.0.0.1:\(server.port)/")
        try browser.wait("document.readyState === 'complete' && document.getElementById('token')")
        try browser.evaluate("document.getElementById('token').focus()")
        try browser.type("s3cret-of-16-chars")
        try browser.enter()
        try browser.wait("document.getElementById('connection')?.dataset.state === 'live'")
        server.signal(SIGKILL)
        try server.end()
        let second = try ServerProcess(in: folder, options)
        try browser.wait("document.getElementById('token')")
        withExtendedLifetime(second) {}
    }

    func testQueuedRunSaysWhyItWaits() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        let running = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: running, "running")
        let (first, second) = (try server.submitSteps(1, 0).id, try server.submitSteps(2, 0).id)
        let reason = try server.get("/jobs/\(second)").json["stall"] as? String ?? ""
        XCTAssertTrue(reason.contains("The server executes 1 run at a time (--jobs)"), reason)
        XCTAssertTrue(reason.contains("1 of 2 queued runs starts before it"), reason)
        XCTAssertTrue(reason.contains("Run \(running) has been executing longest"), reason)
        let next = try server.get("/jobs/\(first)").json["stall"] as? String ?? ""
        XCTAssertTrue(next.contains("It starts next of 2 queued runs"), next)
        let browser = try Browser(on: server, path: "/#run-\(second)")
        try browser.wait(
            "document.querySelector('.stall')?.textContent.includes('1 of 2 queued runs starts before')"
        )
    }
}
