let job = JobController()
