struct User: Sendable {}
let (sync, queue, user) = (ConcurrentOperation(), TaskQueue(), User())
