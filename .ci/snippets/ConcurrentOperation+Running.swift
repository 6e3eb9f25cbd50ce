let job = JobController()
func log(_ text: String) {}
let month = "November"
final class Report: ResultJob<String>, @unchecked Sendable {
    init(for month: String) { super.init() }
}
