import Foundation

/// Reads events on a separate thread.
final class EventListener: @unchecked Sendable {
    // @unchecked: `condition` guards the variables, and only the thread uses the connection, except
    // at its end.
    struct Event {
        let name: String
        let data: String

        /// The run of a `run` event.
        var run: [String: Any] { json as? [String: Any] ?? [:] }
        /// The runs that the event contains.
        var runs: [[String: Any]] { json as? [[String: Any]] ?? [run] }

        private var json: Any? { try? JSONSerialization.jsonObject(with: Data(data.utf8)) }
    }

    private let connection: Connection
    private let condition = NSCondition()
    private var events: [Event] = []
    private var hasEnded = false
    private var reason = "it is complete"

    init(_ server: ServerProcess) throws {
        connection = try Connection(port: server.port)
        try connection.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        let (status, headers) = try connection.head()
        guard status == 200, headers["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw NotInTime(description: "No events: \(status)")
        }
        Thread { [self] in read() }.start()
    }

    deinit { connection.shut() }

    func close() { connection.shut() }

    var all: [Event] {
        condition.lock()
        defer { condition.unlock() }
        return events
    }

    /// Waits for an event.
    @discardableResult
    func wait(for what: String, _ isIt: (Event) -> Bool) throws -> Event {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date.now.addingTimeInterval(300)
        var seen = 0
        while true {
            while seen < events.count {
                if isIt(events[seen]) { return events[seen] }
                seen += 1
            }
            guard !hasEnded, condition.wait(until: deadline) else {
                throw NotInTime(
                    description: "No event: \(what); \(hasEnded ? reason : "") \(events.count)"
                )
            }
        }
    }

    func waitForEnd() throws {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date.now.addingTimeInterval(300)
        while !hasEnded {
            guard condition.wait(until: deadline) else {
                throw NotInTime(description: "The stream does not end")
            }
        }
    }

    private func nextLine() -> String? {
        do {
            if let line = try connection.line() { return line }
            note(ending: "the connection was closed")
        } catch {
            note(ending: "\(error)")
        }
        return nil
    }

    private func note(ending: String) {
        condition.lock()
        reason = ending
        condition.unlock()
    }

    private func read() {
        var name = ""
        while let line = nextLine() {
            if line.hasPrefix("event: ") {
                name = String(line.dropFirst(7))
            } else if line.hasPrefix("data: ") {
                let event = Event(name: name, data: String(line.dropFirst(6)))
                condition.lock()
                events.append(event)
                condition.broadcast()
                condition.unlock()
            } else if line == "0" {
                // After the last chunk, the stream is complete, although the connection stays open.
                break
            }
        }
        condition.lock()
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }
}
