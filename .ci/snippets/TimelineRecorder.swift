let job = JobController()
let file = URL(filePath: "/")
