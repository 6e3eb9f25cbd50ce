let file = ""
final class Upload: ConcurrentOperation, @unchecked Sendable {
    init(_ file: String) {}
}
