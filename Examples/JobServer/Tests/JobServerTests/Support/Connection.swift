import Foundation

/// A connection to a server, byte by byte, which can send invalid requests.
final class Connection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, SocketConstants.stream, 0)
        if var size = receiveBuffer {
            setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_RCVBUF,
                &size,
                socklen_t(MemoryLayout<Int32>.size)
            )
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var timeout = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &timeout,
            socklen_t(MemoryLayout<timeval>.size)
        )
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw NotInTime(description: "No connection: \(errno)") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, SocketConstants.noSignal)
            }
            guard count > 0 else { throw NotInTime(description: "The connection is closed") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Reads the available bytes, or returns nil at the end.
    func read() throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = recv(descriptor, &bytes, bytes.count, 0)
        // A signal may interrupt the call.
        while count < 0, errno == EINTR { count = recv(descriptor, &bytes, bytes.count, 0) }
        if count == 0 { return nil }
        guard count > 0 else { throw NotInTime(description: "Nothing to read: \(errno)") }
        return Array(bytes.prefix(count))
    }

    /// Reads up to a line break, which is removed.
    ///
    /// Returns nil at the end.
    func line() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = buffer[..<end]
                buffer.removeSubrange(...end)
                let isLong = line.last == 0x0D
                return String(decoding: isLong ? line.dropLast() : line, as: UTF8.self)
            }
            guard let more = try read() else { return nil }
            buffer += more
        }
    }

    func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard let more = try read() else { throw NotInTime(description: "Cut off") }
            buffer += more
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Ends both directions, so that a reading thread returns.
    func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads an answer's status line and header.
    func head() throws -> (status: Int, headers: [String: String]) {
        guard let first = try line(),
            let status = Int(first.split(separator: " ").dropFirst().first ?? "")
        else { throw NotInTime(description: "No answer") }
        var headers: [String: String] = [:]
        while let line = try line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        return (status, headers)
    }

    /// Reads an answer with its length in the header.
    func answer() throws -> Answer {
        let (status, headers) = try head()
        let body = try bytes(Int(headers["content-length"] ?? "0") ?? 0)
        return Answer(status: status, headers: headers, body: body)
    }
}

/// An answer of the server.
struct Answer {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }
    var field: String? { json["field"] as? String }
    var id: Int { json["id"] as? Int ?? -1 }
    var state: String { json["state"] as? String ?? "" }
}
