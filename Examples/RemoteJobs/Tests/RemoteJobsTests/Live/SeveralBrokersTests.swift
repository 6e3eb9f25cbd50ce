import JobKit
import XCTest

@testable import RemoteJobs

/// Tests two independent brokers, one of them with TLS and a virtual host.
final class SeveralBrokersTests: LiveTestCase {
    func testJobsLiveOnOneOfTheBrokersAndWorkersServeAll() async throws {
        let plain = try await broker
        let second = try await SecondBroker.shared.value
        let (node, port) = (second.node, second.encryptedPort)
        try await node.evaluate(
            "ok = rabbit_vhost:add(<<\"team/a\">>, <<\"test\">>),"
                + " ok = rabbit_auth_backend_internal:set_permissions(<<\"guest\">>,"
                + " <<\"team/a\">>, <<\".*\">>, <<\".*\">>, <<\".*\">>, <<\"test\">>)."
        )
        let url = "amqps://guest:guest@localhost:\(port)/team%2Fa?cacertfile=\(second.certificate)"
        let encrypted = try BrokerAddress.parse(url)

        // An untrusted certificate prevents the connection.
        let untrusted = try BrokerAddress.parse("amqps://guest:guest@localhost:\(port)/team%2Fa")
        do {
            try await TestConnection(to: untrusted[0]).close()
            XCTFail("trusted")
        } catch {
            XCTAssertTrue("\(error)".contains("no TLS"), "\(error)")
        }

        let brokers = [plain.addresses, encrypted]
        let runs = RunLog()
        let worker = RemoteWorker(name: "h1", brokers: brokers, width: 4)
        worker.register(Double2.self, at: place) { number, context in
            ClosureOperation {
                runs.ran(context.key)
                return number * 2
            }
        }
        let working = Task { try await worker.run() }
        var usedPorts: Set<Int> = []
        for number in 0..<6 {
            let session = RemoteSession(job: jobName("job \(number)"), brokers: brokers)
            try await session.open()
            usedPorts.insert(await session.loop.nodes.addresses[0].port)
            let inputs = (0..<20).map { ("\(number) \($0)", $0) }
            let job = FanOut<Double2>(inputs, in: session, at: place)
            try await run(job)
            XCTAssertEqual(job.failureTexts, [])
            XCTAssertEqual(try job.results["\(number) 7"]?.get(), 14)
            try await session.close(removingJob: true)
        }
        XCTAssertEqual(runs.total, 120)
        print("brokers used by six jobs: \(usedPorts.count)")
        working.cancel()
        let end = await outcome(of: working)
        try end.get()
    }
}
