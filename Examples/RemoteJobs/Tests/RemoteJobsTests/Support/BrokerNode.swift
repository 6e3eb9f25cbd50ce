import AMQP
import Foundation
import NIOPosix
import XCTest

@testable import RemoteJobs

/// A RabbitMQ node for tests, in a temporary folder and on free ports.
///
/// The node and all of its processes end with the test process.
final class BrokerNode: Sendable {
    /// The node that the tests share.
    ///
    /// The first access starts it.
    static let shared = Task { try await BrokerNode() }

    let port: Int
    let folder: String
    private let process = Process()
    private let ended = XCTestExpectation(description: "the node has ended")

    /// Starts a node in a new folder and waits until users can log in.
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

    /// Starts the node of a folder, again if necessary, and waits until users can log in.
    ///
    /// The folder is removed with the node unless it is kept for another one.
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

    /// Stops the node and all of its processes, once.
    func stop() async {
        process.terminate()
        let result = await XCTWaiter.fulfillment(of: [ended], timeout: 300)
        XCTAssertEqual(result, .completed, "The node has not ended")
    }

    /// The log of the node so far.
    var log: String {
        let path = "\(folder)/log/r\(port)@localhost.log"
        return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Evaluates an Erlang expression in the node.
    func evaluate(_ expression: String) async throws {
        let run = try ProgramRun(at: URL(fileURLWithPath: folder + "/evaluate"), [expression])
        let end = try await run.end()
        XCTAssertTrue(end.output.hasPrefix("{ok, "), end.output + end.messages)
    }

    /// The ports of the node, its cluster and its epmd on which a process listens.
    var listening: [Int] { (port..<port + 3).filter { !BrokerNode.isRefused($0) } }

    /// The folder of this package.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    var addresses: [BrokerAddress] {
        [BrokerAddress(host: "127.0.0.1", port: port, user: "guest", password: "guest")]
    }

    var url: String { "amqp://guest:guest@127.0.0.1:\(port)" }

    /// Opens a separate connection for the test.
    func connect() async throws -> TestConnection {
        try await TestConnection(to: addresses[0])
    }

    /// Polls the node, because it sends no notification when users can log in.
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

    /// Finds three free ports in a row and returns the first one.
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

/// There are no three free ports in a row.
struct NoFreePorts: Error {}
