import Foundation
import JobObservability
import Logging
import Synchronization
import XCTest

@testable import JobService
@testable import job_server

/// Tests the time limits of connections on real sockets, with shorter times.
final class TimeLimitTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "limits-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func testSlowAndSilentConnectionsAreClosedAndEventsAreNot() async throws {
        let port = try await serve { limits in
            limits.request = .seconds(2)
            limits.idle = .seconds(2)
        }
        let events = try await Socket.connected(to: port) { socket in
            try socket.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            try await socket.waitFor("event: snapshot")
        }
        // No bytes, half a header, half a body, and a single request without another one.
        let silent = try Socket(port)
        let halfHead = try Socket(port)
        try halfHead.send("GET /health HTTP/1.1\r\nHos")
        let halfBody = try Socket(port)
        try halfBody.send(
            "POST /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: 100\r\n\r\n{"
        )
        let idle = try await Socket.connected(to: port) { socket in
            try socket.send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            try await socket.waitFor("{\"status\":\"ok\"}")
        }
        for connection in [silent, halfHead, halfBody, idle] { try await connection.waitForEnd() }

        // The connection of the events has been as silent as the others, but still receives events.
        _ = try await Socket.connected(to: port) { try await $0.submitStep() }
        try await events.waitFor(#""state":"succeeded""#)
    }

    func testAClientThatDoesNotTakeItsAnswersIsClosed() async throws {
        // Only the limit for writing can end these connections within the test.
        let port = try await serve { limits in
            limits.request = .seconds(3_600)
            limits.idle = .seconds(3_600)
            limits.write = .seconds(1)
        }
        let events = try Socket(port)
        try events.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        try await events.waitFor("event: snapshot")
        // It sends requests and reads no answers, until all buffers between the two are full.
        let asker = try Socket(port)
        try await asker.sendUntilClosed("GET /app.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

        // A client that reads still receives events.
        try await Socket(port).submitStep()
        try await events.waitFor(#""state":"succeeded""#)
    }

    /// Serves until the test ends.
    ///
    /// - Returns: The port.
    private func serve(
        limits: (inout ConnectionClock.Limits) -> Void
    ) async throws -> Int {
        var configuration = JobServiceConfiguration()
        configuration.port = 0
        configuration.data = folder + "/data.sqlite"
        limits(&configuration.timeLimits)
        let listening = expectation(description: "The server listens")
        let line = Mutex("")
        let logger = Logger(label: "test") { label in
            LineLogHandler(label: label) { text in
                guard text.contains(" Listening ") else { return }
                line.withLock { $0 = text }
                listening.fulfill()
            }
        }
        let service = JobService(
            configuration: configuration,
            kinds: [StepsKind()],
            logger: logger
        )
        let serving = Task { try await service.run() }
        addTeardownBlock {
            serving.cancel()
            _ = await serving.result
        }
        await fulfillment(of: [listening], timeout: 300)
        let url = line.withLock { $0 }.split(whereSeparator: \.isWhitespace)
            .first { $0.hasPrefix("url=") }
        let authority = try XCTUnwrap(url?.split(separator: "/").last)
        return try XCTUnwrap(Int(authority.split(separator: ":").last ?? ""))
    }
}

private struct Closed: Error, CustomStringConvertible {
    let description: String
}

/// A connection that reads on a separate thread.
private final class Socket: Sendable {
    private let descriptor: Int32

    init(_ port: Int) throws {
        descriptor = socket(AF_INET, SocketConstants.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var timeout = timeval(tv_sec: 300, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        for limit in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, limit, &timeout, length)
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Closed(description: "No connection: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Connects and sends a request.
    ///
    /// It tries once more if the connection was already closed, because the shortened limits may
    /// expire in between on a busy machine.
    static func connected(
        to port: Int,
        _ ask: (Socket) async throws -> Void
    ) async throws -> Socket {
        var problem: Closed?
        for _ in 0..<20 {
            let socket = try Socket(port)
            do {
                try await ask(socket)
                return socket
            } catch let error as Closed {
                problem = error
            }
        }
        throw problem ?? Closed(description: "Not connected")
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let sent = Foundation.send(descriptor, bytes, bytes.count, SocketConstants.noSignal)
        guard sent == bytes.count else { throw Closed(description: "Not sent: \(errno)") }
    }

    /// Submits a job of one step.
    func submitStep() async throws {
        let body = #"{"kind":"steps","parameters":{"count":1,"milliseconds":0}}"#
        try send(
            "POST /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        try await waitFor("HTTP/1.1 201 ")
    }

    /// Repeats a text until the server has closed the connection.
    func sendUntilClosed(_ text: String) async throws {
        let bytes = Array(text.utf8)
        try await offPool { [self] in
            Result {
                var place = 0
                while true {
                    let count = bytes[place...]
                        .withUnsafeBytes {
                            Foundation.send(
                                descriptor,
                                $0.baseAddress,
                                $0.count,
                                SocketConstants.noSignal
                            )
                        }
                    if count > 0 {
                        place = (place + count) % bytes.count
                    } else if errno == ECONNRESET || errno == EPIPE {
                        return
                    } else if errno != EINTR {
                        throw Closed(description: "Not sent: \(errno)")
                    }
                }
            }
        }
        .get()
    }

    /// Reads until a text has arrived.
    func waitFor(_ text: String) async throws {
        try await offPool { [self] in
            Result {
                var found = ""
                while !found.contains(text) {
                    guard let more = try read() else {
                        throw Closed(description: "No \(text), but the end: \(found)")
                    }
                    found += more
                }
            }
        }
        .get()
    }

    /// Reads until the server has closed the connection.
    func waitForEnd() async throws {
        try await offPool { [self] in Result { while try read() != nil {} } }.get()
    }

    private func read() throws -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count = recv(descriptor, &bytes, bytes.count, 0)
        while count < 0, errno == EINTR { count = recv(descriptor, &bytes, bytes.count, 0) }
        if count == 0 || count < 0 && errno == ECONNRESET { return nil }
        guard count > 0 else { throw Closed(description: "Nothing to read: \(errno)") }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
