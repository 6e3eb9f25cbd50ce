import Foundation

extension ServerProcess {
    /// Sends one request on a separate connection.
    func request(
        _ method: String,
        _ path: String,
        _ headers: [String] = [],
        host: String? = nil,
        body: String? = nil
    ) throws -> Answer {
        let connection = try Connection(port: port)
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n"
        for header in headers { text += header + "\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        try connection.send(text + "Connection: close\r\n\r\n" + (body ?? ""))
        return try connection.answer()
    }

    func get(_ path: String) throws -> Answer { try request("GET", path) }

    func post(_ path: String, _ body: String = "{}", _ headers: [String] = []) throws -> Answer {
        try request("POST", path, ["Content-Type: application/json"] + headers, body: body)
    }

    /// Submits steps, with further parameters as JSON members.
    func submitSteps(_ count: Int, _ milliseconds: Int, _ more: String = "") throws -> Answer {
        let parameters = "{\"count\":\(count),\"milliseconds\":\(milliseconds)\(more)}"
        return try post("/jobs", "{\"kind\":\"steps\",\"parameters\":\(parameters)}")
    }

    /// Waits for a run's state.
    func wait(for id: Int, _ state: String) throws {
        try wait(for: id, "is \(state)") { $0["state"] as? String == state }
    }

    /// Waits until an event of a run meets a condition.
    func wait(for id: Int, _ what: String, _ isSo: ([String: Any]) -> Bool) throws {
        let listener = try EventListener(self)
        defer { listener.close() }
        try listener.wait(for: "run \(id) \(what)") { event in
            event.runs.contains { $0["id"] as? Int == id && isSo($0) }
        }
    }

    /// The states of the newest runs by number.
    func states() throws -> [Int: String] {
        let runs = try get("/jobs?limit=500").json["runs"] as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: runs.map {
                ($0["id"] as? Int ?? -1, $0["state"] as? String ?? "")
            }
        )
    }
}
