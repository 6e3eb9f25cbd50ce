import Foundation

/// A separate RabbitMQ node on free ports, which ends with the test or its process.
final class BrokerProcess {
    let port: Int
    private let process = Process()

    var url: String { "amqp://guest:guest@127.0.0.1:\(port)" }

    /// Starts a node with the script of RemoteJobs, and returns when users can log in.
    ///
    /// On a busy machine, the start may take longer than the time for which a worker tries to
    /// connect at first.
    init(in folder: TestFolder) throws {
        port = try Self.freePorts()
        let examples = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../..").standardized
        process.executableURL = examples.appending(path: "RemoteJobs/Scripts/broker")
        process.arguments = [folder.path + "/broker", String(port)]
        process.standardInput = FileHandle.nullDevice
        let output = try folder.write("", to: "broker.txt")
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try waitUntil("the broker lets users in") {
            try String(contentsOfFile: output, encoding: .utf8).contains("completed with")
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Finds three free ports in a row and returns the first one.
    static func freePorts() throws -> Int {
        for _ in 0..<200 {
            let first = Int.random(in: 20_000..<32_000)
            if (first..<first + 3).allSatisfy(isFree) { return first }
        }
        throw NotInTime(description: "no free ports")
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, SocketConstants.stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
