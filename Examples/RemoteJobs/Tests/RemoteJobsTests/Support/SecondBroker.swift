import Foundation
import XCTest

@testable import RemoteJobs

/// A second, independent node that tests share.
///
/// It also has a TLS port.
struct SecondBroker: Sendable {
    /// The node of this process.
    ///
    /// The first access starts it.
    static let shared = Task { try await SecondBroker() }

    let node: BrokerNode
    let encryptedPort: Int
    /// The path of the node's self-signed certificate.
    let certificate: String

    private init() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-jobs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = folder.path + "/key.pem"
        certificate = folder.path + "/certificate.pem"
        let making = try ProgramRun(
            at: URL(fileURLWithPath: "/usr/bin/openssl"),
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ]
        )
        let made = try await making.end()
        XCTAssertEqual(made.status, 0, made.messages)
        encryptedPort = try BrokerNode.freePorts()
        node = try await BrokerNode(
            in: folder.path,
            at: BrokerNode.freePorts(),
            settings: """
                listeners.ssl.default = 127.0.0.1:\(encryptedPort)
                ssl_options.cacertfile = \(certificate)
                ssl_options.certfile = \(certificate)
                ssl_options.keyfile = \(key)
                """
        )
    }
}
