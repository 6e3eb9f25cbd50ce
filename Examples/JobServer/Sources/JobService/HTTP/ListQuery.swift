import HTTPTypes
import Hummingbird
import JobStore

/// The query of a request for a list of runs.
struct ListQuery {
    let filter: RunFilter

    /// Parses a query.
    ///
    /// - Throws: ``HTTPProblem`` with the name of the invalid item.
    init(_ query: Parameters) throws(HTTPProblem) {
        var filter = RunFilter()
        if let text = query["limit"] {
            guard let value = Int(text), (1...500).contains(value) else {
                throw HTTPProblem(.badRequest, "limit must be from 1 to 500.", field: "limit")
            }
            filter.limit = value
        }
        if let text = query["before"] {
            guard let value = Int64(text), value > 0 else {
                throw HTTPProblem(.badRequest, "before must be a run's number.", field: "before")
            }
            filter.before = value
        }
        for text in query.getAll("state") {
            guard let value = RunState(rawValue: String(text)) else {
                let words = RunState.allCases.map(\.rawValue).joined(separator: ", ")
                throw HTTPProblem(.badRequest, "state must be one of \(words).", field: "state")
            }
            filter.states.insert(value)
        }
        for text in query.getAll("kind") where !text.isEmpty {
            guard !text.utf8.contains(0) else {
                throw HTTPProblem(.badRequest, "kind has no NUL.", field: "kind")
            }
            filter.kinds.insert(String(text))
        }
        if let text = query["text"] {
            guard text.utf8.count <= 1_000 else {
                throw HTTPProblem(.badRequest, "text has at most 1000 bytes.", field: "text")
            }
            guard !text.utf8.contains(0) else {
                throw HTTPProblem(.badRequest, "text has no NUL.", field: "text")
            }
            filter.text = String(text)
        }
        self.filter = filter
    }
}
