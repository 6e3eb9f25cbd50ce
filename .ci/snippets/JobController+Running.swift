let job = JobController()
func log(_ text: String) {}
