import Foundation
import XCTest

/// Headless Chromium, controlled by its DevTools protocol over two pipes.
final class Browser {
    private let process = Process()
    private let requests: FileHandle
    private let answers: FileHandle
    private let folder: TestFolder
    private var buffer: [UInt8] = []
    private var number = 0
    private var session: String?
    /// Errors that the page has logged or thrown.
    private(set) var problems: [String] = []

    /// Starts the browser.
    ///
    /// Throws if none is installed.
    init() throws {
        let path = ["/usr/bin/chromium", "/usr/bin/google-chrome"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { throw Missing(program: "chromium") }
        folder = try TestFolder()
        let names = ["requests", "answers"].map { [folder] in folder.path + "/" + $0 }
        for name in names { XCTAssertEqual(mkfifo(name, 0o600), 0) }
        // The shell opens the pipes with the file numbers that the browser expects. The shared
        // memory of a container may be too small for a browser.
        let script = """
            exec "$0" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --remote-debugging-pipe --user-data-dir="$1/profile" about:blank 3<"$1/requests" 4>"$1/answers" 2>/dev/null
            """
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, path, folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        requests = try XCTUnwrap(FileHandle(forUpdatingAtPath: names[0]))
        answers = try XCTUnwrap(FileHandle(forReadingAtPath: names[1]))
        try openWindow()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Calls a method of the protocol and returns its result.
    @discardableResult
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        try requests.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        while true {
            let answer = try nextMessage()
            guard answer["id"] as? Int == number else {
                note(answer)
                continue
            }
            guard let result = answer["result"] as? [String: Any] else {
                throw NotInTime(description: "\(method): \(answer)")
            }
            return result
        }
    }

    /// Evaluates an expression and returns the value.
    ///
    /// Objects are converted to JSON.
    @discardableResult
    func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true]
        )
        if let problem = answer["exceptionDetails"] {
            throw NotInTime(description: "\(expression): \(problem)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Waits until an expression is true.
    func wait(_ expression: String, file: StaticString = #filePath, line: UInt = #line) throws {
        // The page evaluates the expression in each frame. If it is replaced in the meantime, the
        // new page does.
        let look = """
            new Promise((answer) => {
              let isOver = false;
              const end = (found) => { isOver = true; answer(found); };
              const look = () => {
                try { if (\(expression)) return end(true); } catch { }
                if (!isOver) requestAnimationFrame(look);
              };
              look();
              setTimeout(end, 1000, false);
            })
            """
        try waitUntil(expression) { (try? evaluate(look)) as? Bool == true }
    }

    /// Opens a separate window, which all further calls use.
    ///
    /// A tab in a window with others would be hidden.
    ///
    /// - Returns: The argument for `use(_:)` to return to it.
    @discardableResult
    func openWindow() throws -> String {
        session = nil
        let target = try call("Target.createTarget", ["url": "about:blank", "newWindow": true])
        let attached = try call(
            "Target.attachToTarget",
            ["targetId": try XCTUnwrap(target["targetId"]), "flatten": true]
        )
        let opened = try XCTUnwrap(attached["sessionId"] as? String)
        session = opened
        for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
        return opened
    }

    func use(_ window: String) { session = window }

    func open(_ url: String) throws { try call("Page.navigate", ["url": url]) }

    /// Sets the window's size and the user's preferences.
    func show(width: Int = 1_200, height: Int = 900, dark: Bool = false, calm: Bool = false) throws
    {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600]
        )
        let features = [
            ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
            ["name": "prefers-reduced-motion", "value": calm ? "reduce" : "no-preference"],
        ]
        try call("Emulation.setEmulatedMedia", ["features": features])
    }

    /// Presses a key like a user.
    func press(_ key: String, code: Int, text: String? = nil) throws {
        var parameters: [String: Any] = [
            "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code,
        ]
        if let text { parameters["text"] = text }
        try call("Input.dispatchKeyEvent", parameters)
        try call(
            "Input.dispatchKeyEvent",
            ["type": "keyUp", "key": key, "windowsVirtualKeyCode": code]
        )
    }

    func type(_ text: String) throws { try call("Input.insertText", ["text": text]) }
    func tab() throws { try press("Tab", code: 9) }
    func enter() throws { try press("Enter", code: 13, text: "\r") }

    private func nextMessage() throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0) {
                let bytes = Data(buffer[..<end])
                buffer.removeSubrange(...end)
                return (try JSONSerialization.jsonObject(with: bytes)) as? [String: Any] ?? [:]
            }
            var waiting = pollfd(fd: answers.fileDescriptor, events: Int16(POLLIN), revents: 0)
            var ready = poll(&waiting, 1, 300_000)
            while ready < 0, errno == EINTR { ready = poll(&waiting, 1, 300_000) }
            guard ready > 0 else { throw NotInTime(description: "The browser says nothing") }
            let more = answers.availableData
            guard !more.isEmpty else { throw NotInTime(description: "The browser has ended") }
            buffer += more
        }
    }

    private func note(_ event: [String: Any]) {
        guard let name = event["method"] as? String,
            name == "Runtime.exceptionThrown" || name == "Log.entryAdded"
        else { return }
        problems.append("\(event["params"] ?? name)")
    }
}
