// snippet "SignpostObserver()": apple
let job = JobController()
