import XCTest

@testable import JobKit

/// Keeps accounts of events, as a user's metrics would.
///
/// It keeps a counter, a dictionary of open spans, and the order of events of each operation in
/// each job.
final class EventBooks: JobObserver {
    private struct Key: Hashable {
        let parentID: Int?
        let operationID: Int
    }

    private struct Books {
        var tracked = 0
        var ended = 0
        /// The open spans by operation and job.
        var open: [Key: JobEvent.Kind] = [:]
        var openRoots: Set<Int> = []
        var kinds: [JobEvent.Kind: Int] = [:]
        var complaints: [String] = []
    }

    private let books = Guarded(Books())

    func job(_ job: JobController, didRecord event: JobEvent) {
        let jobID = job.operationID
        books.withLock { books in
            books.kinds[event.kind, default: 0] += 1
            if let parentID = event.parentID {
                if parentID != jobID { books.complaints.append("\(event.name): wrong parent") }
                Self.noteTask(event, &books)
            } else {
                Self.noteRoot(event, &books)
            }
        }
    }

    private static func noteRoot(_ event: JobEvent, _ books: inout Books) {
        func complain(_ text: String) { books.complaints.append("\(event.name) \(text)") }
        if event.rootID != event.operationID { complain("is not its own root") }
        switch event.kind {
        case .started:
            if !books.openRoots.insert(event.operationID).inserted { complain("started twice") }
        case .finished:
            if books.openRoots.remove(event.operationID) == nil { complain("ended unstarted") }
            if event.duration == nil { complain("has no duration") }
            let left = books.open.keys.count { $0.parentID == event.operationID }
            if left > 0 { complain("finished with \(left) open tasks") }
        default: complain("told \(event.kind) of itself")
        }
    }

    private static func noteTask(_ event: JobEvent, _ books: inout Books) {
        let key = Key(parentID: event.parentID, operationID: event.operationID)
        func complain(_ text: String) { books.complaints.append("\(event.name) \(text)") }
        switch event.kind {
        case .tracked:
            books.tracked += 1
            if books.open.updateValue(.tracked, forKey: key) != nil { complain("tracked twice") }
        case .started:
            if books.open[key] != .tracked { complain("started, not only tracked") }
            books.open[key] = .started
        case .finished, .dropped:
            books.ended += 1
            let last = books.open.removeValue(forKey: key)
            if last == nil { complain("\(event.kind) without being open") }
            if event.kind == .finished, last == .started, event.duration == nil {
                complain("has no duration")
            }
            if event.kind == .finished, event.outcome == nil { complain("has no outcome") }
            if event.kind == .dropped { close(below: event.operationID, &books) }
        case .delivered:
            if books.open[key] != nil { complain("delivered while open") }
        }
    }

    /// Closes everything below a dropped job, unless another observed job tracks it.
    private static func close(below id: Int, _ books: inout Books) {
        guard !books.open.keys.contains(where: { $0.operationID == id }) else { return }
        for key in books.open.keys where key.parentID == id {
            books.ended += 1
            books.open[key] = nil
            close(below: key.operationID, &books)
        }
    }

    /// The inconsistencies found, or an empty array if all jobs have ended correctly.
    var complaints: [String] {
        books.withLock { books in
            var complaints = books.complaints
            if books.tracked != books.ended {
                complaints.append("\(books.tracked) tracked, \(books.ended) ended")
            }
            if !books.open.isEmpty { complaints.append("\(books.open.count) spans are open") }
            if !books.openRoots.isEmpty { complaints.append("a job has not ended") }
            return complaints
        }
    }

    func count(of kind: JobEvent.Kind) -> Int { books.withLock { $0.kinds[kind, default: 0] } }
}

extension XCTestCase {
    /// Observes jobs with new accounts and a new collector.
    func books(of jobs: JobController...) -> (EventBooks, EventCollector) {
        let (books, collector) = (EventBooks(), EventCollector())
        for job in jobs {
            job.addObserver(books)
            job.addObserver(collector)
        }
        return (books, collector)
    }
}
