typealias Sync = JobController
