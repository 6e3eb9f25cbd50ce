import Synchronization
struct Logger {
    func warning(_ text: String) {}
}
let logger = Logger()
let job = JobController()
