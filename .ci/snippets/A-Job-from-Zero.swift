// snippet "for: .type(Download.self)) {": body of Report
// snippet "ListLinks(page)": body of Report
let urls: [URL] = []
let page = ""
let job = JobController()
final class WriteReport: ConcurrentOperation, @unchecked Sendable {
    init(_ counts: [String: Int]) {}
}
final class Report: JobController, @unchecked Sendable {
    let counts: [String: Int] = [:]
}
final class ListLinks: ResultOperation<[URL]>, @unchecked Sendable {
    init(_ page: String) {}
}
