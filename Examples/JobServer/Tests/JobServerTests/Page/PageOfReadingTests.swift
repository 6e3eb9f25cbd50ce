import Foundation
import XCTest

/// Tests that an operator can read the page: timelines, reasons, results, and small screens.
final class PageOfReadingTests: XCTestCase {
    /// The letters of a timeline once had 5 points in its panel.
    func testTheLettersOfATimelineHaveTheirFullSizeInItsPanel() throws {
        let server = try ServerProcess(in: TestFolder(), ["--width", "4"])
        let id = try server.submitSteps(8, 200, ",\"fails\":7").id
        try server.wait(for: id, "failed")
        for width in [1_280, 390] {
            let browser = try Browser(on: server, path: "/#run-\(id)", width: width)
            let picture = "document.querySelector('.timeline svg')"
            try browser.wait("\(picture)?.querySelectorAll('rect').length >= 8")
            try browser.wait("Math.abs(\(picture).getScreenCTM().a - 1) < 0.01")
            XCTAssertEqual(
                try browser.evaluate(
                    "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
                        + "(document.querySelector('.timeline'))"
                ) as? Int,
                0
            )
            // Labels of bars and ticks stay in the picture and do not overlap.
            let overlaps = """
                (() => {
                  const boxes = [...document.querySelectorAll('.timeline text')]
                    .map((node) => ({ text: node.textContent, box: node.getBoundingClientRect() }));
                  const panel = document.querySelector('.timeline').getBoundingClientRect();
                  const bad = boxes.filter(({ box }) => box.left < panel.left || box.right > panel.right);
                  boxes.forEach((one, place) => boxes.slice(place + 1).forEach((other) => {
                    const [a, b] = [one.box, other.box];
                    const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 4 || b.bottom <= a.top + 4;
                    if (!isApart) bad.push({ text: `${one.text} and ${other.text}` });
                  }));
                  return bad.map(({ text }) => text);
                })()
                """
            XCTAssertEqual(try browser.evaluate(overlaps) as? [String], [])
            // Enlarged, it scrolls.
            try browser.click(".timeline")
            try browser.wait("document.querySelector('.timeline').scrollWidth >= 2400")
            XCTAssertEqual(browser.problems, [])
        }
    }

    /// A failed task was once counted again as its failed job.
    func testAPictureCountsTasks() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(1, 0, ",\"fails\":1").id
        try server.wait(for: id, "failed")
        let svg = try server.get("/jobs/\(id)/timeline.svg").text
        XCTAssertTrue(svg.contains("1 task in 1 job") && svg.contains(">1 failed<"), svg)
    }

    func testReasonsAreInWordsForUsers() throws {
        let server = try ServerProcess(in: TestFolder(), ["--width", "2"])
        let id = try server.submitSteps(5_000, 3_600_000, ",\"width\":8").id
        try server.wait(for: id, "running")
        let browser = try Browser(on: server, path: "/#run-\(id)")
        let reasons = "document.querySelector('.stall')?.innerText"
        try browser.wait("\(reasons)?.includes('2 tasks are executing.')")
        try browser.wait("\(reasons).includes('6 tasks wait for one of the run\\'s 2 permits.')")
        try browser.wait(
            "\(reasons).includes('because this job executes at most 8 of its steps at a time.')"
        )
        let text = try browser.evaluate(reasons) as? String ?? ""
        XCTAssertFalse(text.contains("Step"), text)
        // Other texts stay as they are, and equal ones are folded.
        let explained = try browser.evaluate(
            """
            import("/stall.js").then(({ explained }) => explained([
              "Import: executing, suspended", "a: on h2, attempt 2 for 3 s", "b: no worker serves sleep",
              "c: no worker serves sleep", "d: executing for 75 s, cancelled 12 s ago", "… and 12 more",
            ].join("\\n")))
            """
        )
        XCTAssertEqual(
            explained as? [String],
            [
                "Import: executing, suspended", "a: on h2, attempt 2 for 3 s",
                "b and 1 more: no worker serves sleep",
                "d: executing for 75 s, cancelled 12 s ago",
                "12 further tasks have not finished.",
            ]
        )
        XCTAssertEqual(browser.problems, [])
    }

    func testALongResultShowsItsBeginningAndAButton() throws {
        let folder = try TestFolder()
        for number in 0..<120 {
            try folder.write("\(number)", to: "a\(number)")
            try folder.write("\(number)", to: "b\(number)")
        }
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let body =
            "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(folder.path)\",\"minimumSize\":1}}"
        let id = try server.post("/jobs", body).id
        try server.wait(for: id, "succeeded")
        let browser = try Browser(on: server, path: "/#run-\(id)")
        let groups = "document.querySelectorAll('.result .list > dd > div > ol > li').length"
        try browser.wait("\(groups) === 50")
        let text = try browser.evaluate("document.querySelector('.result').innerText") as? String
        XCTAssertTrue(text?.contains("Groups (120)") == true, text ?? "")
        XCTAssertTrue(text?.contains("/a") == true, text ?? "")
        XCTAssertFalse(text?.contains("groupCount") == true, text ?? "")
        let button = "document.querySelector('.result .list > dd > div > button')"
        XCTAssertEqual(
            try browser.evaluate("\(button).textContent") as? String,
            "Show 50 more of 120"
        )
        try browser.evaluate("\(button).click()")
        try browser.wait("\(groups) === 100")
        try browser.evaluate("\(button).click()")
        try browser.wait("\(groups) === 120 && !\(button)")
        XCTAssertEqual(browser.problems, [])
    }

    func testTheFirstScreenShowsRuns() throws {
        let server = try ServerProcess(in: TestFolder())
        var last = 0
        for _ in 0..<30 { last = try server.submitSteps(1, 0).id }
        try server.wait(for: last, "succeeded")
        let visible = """
            [...document.querySelectorAll('#runs tbody tr')]
              .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length
            """
        for (width, height, count) in [(1_280, 900, 11), (390, 844, 4)] {
            let browser = try Browser(on: server, width: width, height: height)
            try browser.wait("document.querySelectorAll('#runs tbody tr').length === 30")
            let found = try browser.evaluate(visible) as? Int ?? 0
            XCTAssertGreaterThanOrEqual(found, count, "\(width) points wide")
            XCTAssertEqual(
                try browser.evaluate("document.getElementById('new-run').open") as? Bool,
                width > 390
            )
        }
    }

    func testEachWrongFieldIsMarked() throws {
        let server = try ServerProcess(in: TestFolder())
        let browser = try Browser(on: server)
        try browser.wait("document.getElementById('kind').options.length > 1")
        try browser.evaluate(
            """
            (() => {
              const kind = document.getElementById('kind');
              kind.value = 'steps';
              kind.dispatchEvent(new Event('change', { bubbles: true }));
              document.getElementById('field-count').value = 'many';
              document.getElementById('field-fails').value = '0';
            })()
            """
        )
        try browser.click("#submit button")
        try browser.wait("document.querySelectorAll('#submit [aria-invalid]').length === 3")
        let errors = try browser.evaluate(
            "[...document.querySelectorAll('#submit .problem:not([hidden])')].map((one) => one.textContent)"
        )
        XCTAssertEqual(
            errors as? [String],
            [
                "Steps must be a whole number.", "Milliseconds each is missing.",
                "Failing step must be from 1 to 1000000.",
            ]
        )
        XCTAssertEqual(try browser.evaluate("document.activeElement.id") as? String, "field-count")
    }

    /// The bar of a failed run once was empty beside the words "5 of 44 tasks".
    func testBarOfAFailedRunThatNobodyWatchedAgreesWithItsWords() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(44, 10, ",\"fails\":3").id
        // The list does not read the progress of a run.
        try waitUntil("it has failed") { try server.states()[id] == "failed" }
        let browser = try Browser(on: server)
        let agrees = """
            (() => {
              const row = document.getElementById('row-\(id)');
              const [finished, tracked] = row.querySelector('.tasks').textContent.match(/\\d+/g).map(Number);
              return finished > 0 && row.querySelector('progress').value >= finished / tracked - 0.01;
            })()
            """
        try browser.wait(agrees)
    }

    /// A run that matched in another case once was listed for a second and then went.
    func testFilteredRunStaysWhateverItsCaseAndNormalization() throws {
        let folder = try TestFolder()
        let name = "SOCIE\u{301}TE\u{301}"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/" + name,
            withIntermediateDirectories: true
        )
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let browser = try Browser(on: server, path: "/?text=soci%C3%A9t%C3%A9")
        let path = folder.path + "/" + name
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(path)\"}}"
        let id = try server.post("/jobs", body).id
        try browser.wait("document.getElementById('row-\(id)')")
        // After another run, the list is read again.
        _ = try server.submitSteps(1, 0)
        try browser.wait("document.getElementById('summary').textContent.includes('2 in all')")
        try browser.wait("document.querySelectorAll('#runs tbody tr').length === 1")
        XCTAssertEqual(
            try browser.evaluate("document.getElementById('row-\(id)') !== null") as? Bool,
            true
        )
    }
}
