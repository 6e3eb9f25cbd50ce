import AMQP
import Foundation
import NIOPosix
import XCTest

@testable import RemoteJobs

/// A RabbitMQ node of the tests' own, in a temporary folder and on free ports.
///
/// It is ended, with all that belongs to it, when the test process is.
final class BrokerNode: Sendable {
    /// The node that the tests share; the first to ask starts it.
    static let shared = Task { try await BrokerNode() }

    let port: Int
    let folder: String
    private let process = Process()
    private let ended = XCTestExpectation(description: "the node has ended")

    /// Starts a node in a new folder and waits until it lets a user in.
    convenience init(keepingFolder: Bool = false, settings: String = "") async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-jobs-\(UUID().uuidString)")
        try await self.init(
            in: folder.path,
            at: BrokerNode.freePorts(),
            keepingFolder: keepingFolder,
            settings: settings
        )
    }

    /// Starts the node of a folder, anew if there was one, and waits until it lets a user in.
    ///
    /// The folder goes with it, unless it is kept for the next.
    init(
        in folder: String,
        at port: Int,
        keepingFolder: Bool = false,
        settings: String = ""
    ) async throws {
        self.port = port
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: BrokerNode.package + "/Scripts/broker")
        process.arguments = [folder, String(port)]
        var environment = ProcessInfo.processInfo.environment
        if !keepingFolder { environment["REMOVE_FOLDER"] = "yes" }
        environment["BROKER_SETTINGS"] = settings
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [ended] _ in ended.fulfill() }
        try process.run()
        try await waitUntilOpen()
    }

    /// Ends the node, once, and all that belongs to it.
    func stop() async {
        process.terminate()
        let result = await XCTWaiter.fulfillment(of: [ended], timeout: 300)
        XCTAssertEqual(result, .completed, "The node has not ended")
    }

    /// What the node has written of itself so far.
    var log: String {
        let path = "\(folder)/log/r\(port)@localhost.log"
        return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Has the node evaluate an expression of Erlang.
    func evaluate(_ expression: String) async throws {
        let run = try ProgramRun(at: URL(fileURLWithPath: folder + "/evaluate"), [expression])
        let end = try await run.end()
        XCTAssertTrue(end.output.hasPrefix("{ok, "), end.output + end.messages)
    }

    /// The ports of the node, of its cluster and of its epmd on which somebody listens.
    var listening: [Int] { (port..<port + 3).filter { !BrokerNode.isRefused($0) } }

    /// The folder of this package.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    var addresses: [BrokerAddress] {
        [BrokerAddress(host: "127.0.0.1", port: port, user: "guest", password: "guest")]
    }

    var url: String { "amqp://guest:guest@127.0.0.1:\(port)" }

    /// Opens a connection of the test's own.
    func connect() async throws -> TestConnection {
        try await TestConnection(to: addresses[0])
    }

    /// Asks until it answers: a node tells nobody when it lets users in.
    private func waitUntilOpen() async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while true {
            do {
                try await connect().close()
                return
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Finds three ports in a row that nobody has; the first of them.
    static func freePorts() throws -> Int {
        for _ in 0..<200 {
            let first = Int.random(in: 20_000..<32_000)
            if (first..<first + 3).allSatisfy(isFree) { return first }
        }
        throw NoFreePorts()
    }

    private static func isFree(_ port: Int) -> Bool {
        ask(port) { bind($0, $1, $2) == 0 }
    }

    private static func isRefused(_ port: Int) -> Bool {
        ask(port) { Foundation.connect($0, $1, $2) != 0 }
    }

    private static func ask(
        _ port: Int,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        let descriptor = socket(AF_INET, SocketConstants.stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// No three ports in a row are free.
struct NoFreePorts: Error {}
