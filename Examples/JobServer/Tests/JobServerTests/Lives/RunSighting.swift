/// The state of a run in an answer or event.
struct RunSighting: Sendable {
    static let ends: Set<String> = ["succeeded", "failed", "cancelled", "interrupted"]

    var id: Int
    var state: String
    var previousID: Int?
    var cancelRequestedAt: Int?
    var runAt: Int?
    var startedAt: Int?
    var error: String?

    var isEnd: Bool { Self.ends.contains(state) }
}

extension RunSighting {
    /// Parses a run's JSON.
    init(_ json: [String: Any]) {
        self.init(
            id: json["id"] as? Int ?? -1,
            state: json["state"] as? String ?? "",
            previousID: json["previousID"] as? Int,
            cancelRequestedAt: json["cancelRequestedAt"] as? Int,
            runAt: json["runAt"] as? Int,
            startedAt: json["startedAt"] as? Int,
            error: json["error"] as? String
        )
    }
}
