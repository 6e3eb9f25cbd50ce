import JobKitTesting

let queue = TaskQueue()
let retry = ConcurrentOperation()
let clock = ManualClock()
let operation = ConcurrentOperation()
