let files = ["a"]
final class Parse: ConcurrentOperation, @unchecked Sendable {
    let records = [""]
    init(_ file: String) {}
}
final class Insert: ConcurrentOperation, @unchecked Sendable {
    init(_ records: [String]) {}
}
