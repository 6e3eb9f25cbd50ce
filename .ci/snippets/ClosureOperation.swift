struct Feed: Codable, Sendable {}
let data = Data()
let queue = TaskQueue()
