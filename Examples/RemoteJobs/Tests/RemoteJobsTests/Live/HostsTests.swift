import FindDuplicates
import Foundation
import XCTest

@testable import RemoteJobs

/// Compares the commands over the folders of two hosts with the job that searches them on one.
final class HostsTests: LiveTestCase {
    private struct Report: Decodable {
        struct Group: Decodable {
            let size: Int64
            let paths: [String]
        }

        let groups: [Group]
        let scannedFiles: Int
        let incomplete: Bool?
    }

    private var hosts: [String] { ["h1.\(place)", "h2.\(place)"] }

    /// The queues of a search over the hosts.
    private func queues(of job: String) -> [String] {
        hosts.flatMap { host in
            ["duplicates-list", "duplicates-hash"]
                .flatMap { work in
                    let route = Layout.route(Name(work), at: Name(host))
                    return [Layout.tasks(route, of: Name(job)), Layout.suspects(route)]
                }
        }
    }

    func testTwoHostsGiveTheGroupsOfALocalSearchAndLeaveNothing() async throws {
        let broker = try await broker
        let folders = try (0..<2).map { try makeFolder($0) }
        let workers = try zip(hosts, folders).map { try startHost($0, $1, broker) }
        let job = jobName("hosts")
        let search = try startSearch(job, broker, ["--remove"])
        let end = try await search.end()
        XCTAssertEqual(end.status, 0, end.messages)
        let found = try JSONDecoder().decode(Report.self, from: Data(end.output.utf8))

        let local = FindDuplicatesJob(folders: folders.map { BytePath($0) })
        try await run(local)
        let expected = local.report.groups.map { group in
            let paths = group.paths.map { path in
                let text = String(decoding: path.bytes, as: UTF8.self)
                return "\(hosts[text.hasPrefix(folders[0]) ? 0 : 1]):\(text)"
            }
            return "\(group.size) \(paths.sorted())"
        }
        XCTAssertEqual(expected.count, 5)
        let groups = found.groups.map { "\($0.size) \($0.paths.sorted())" }
        XCTAssertEqual(groups.sorted(), expected.sorted())
        XCTAssertEqual(found.scannedFiles, local.report.scannedFiles)
        XCTAssertNil(found.incomplete)
        try await checkThatNothingIsLeft(of: job, broker)
        for worker in workers {
            worker.send(SIGTERM)
            let end = try await worker.end()
            XCTAssertEqual(end.status, 0, end.messages)
        }
        // Messages that a worker left unacknowledged would be back.
        try await checkThatNothingIsLeft(of: job, broker)
    }

    func testInterruptedWhileAHostIsMissingItEndsWith130AndLeavesNothing() async throws {
        let broker = try await broker
        _ = try startHost(hosts[0], makeFolder(0), broker)
        let job = jobName("interrupted")
        let search = try startSearch(job, broker, ["--remove"])
        let connection = try await broker.connect()
        try await waitUntil("the missing host's listing is queued") {
            let route = Layout.route("duplicates-list", at: Name(hosts[1]))
            let queue = Layout.tasks(route, of: Name(job))
            return try await connection.state(of: queue)?.messageCount == 1
        }
        search.send(SIGINT)
        let end = try await search.end()
        XCTAssertEqual(end.status, 130, end.messages)
        let found = try JSONDecoder().decode(Report.self, from: Data(end.output.utf8))
        XCTAssertEqual(found.incomplete, true)
        try await connection.close()
        try await checkThatNothingIsLeft(of: job, broker)
    }

    func testWrongBrokersAreALineAndAStatus() async throws {
        let broker = try await broker
        let wrong = "amqp://guest:secret@127.0.0.1:\(broker.port)"
        for program in [
            try start(
                "find-duplicates-on-hosts",
                ["--broker", wrong, "--job", jobName("wrong"), "--hosts", "h1", "--no-progress"]
            ),
            try start(
                "duplicates-worker",
                ["--broker", wrong, "--host", "h1", "--folder", "/tmp"]
            ),
        ] {
            let end = try await program.end()
            XCTAssertEqual(end.status, 69)
            XCTAssertTrue(end.messages.contains("127.0.0.1:\(broker.port)"), end.messages)
            XCTAssertFalse(end.messages.contains("secret"), end.messages)
            XCTAssertEqual(end.messages.split(separator: "\n").count, 1, end.messages)
        }
    }

    private func startHost(
        _ host: String,
        _ folder: String,
        _ broker: BrokerNode
    ) throws -> ProgramRun {
        try start(
            "duplicates-worker",
            ["--broker", broker.url, "--host", host, "--folder", folder]
        )
    }

    private func startSearch(
        _ job: String,
        _ broker: BrokerNode,
        _ more: [String]
    ) throws -> ProgramRun {
        try start(
            "find-duplicates-on-hosts",
            [
                "--broker", broker.url, "--job", job, "--hosts", hosts.joined(separator: ","),
                "--json", "--no-progress",
            ] + more
        )
    }

    private func checkThatNothingIsLeft(of job: String, _ broker: BrokerNode) async throws {
        let connection = try await broker.connect()
        for queue in queues(of: job) {
            let state = try await connection.state(of: queue)
            XCTAssertEqual(state?.messageCount ?? 0, 0, queue)
        }
        for name in [Layout.stream(of: Name(job)), Layout.lock(of: Name(job))] {
            let state = try await connection.state(of: name)
            XCTAssertNil(state, name)
        }
        try await connection.close()
    }

    /// Creates a folder with the files of one host.
    ///
    /// Some files are equal to those of the other host, some to each other, and some to none. Some
    /// have equal heads and different ends.
    private func makeFolder(_ number: Int) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-jobs-\(UUID().uuidString)")
        addTeardownBlock { try? FileManager.default.removeItem(at: folder) }
        func write(_ bytes: [UInt8], _ name: String) throws {
            let file = folder.appendingPathComponent(name)
            let parent = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        let long = [UInt8](repeating: 7, count: 20_000)
        try write(Array("on both".utf8), "both")
        try write(Array("twice on both".utf8), "twice/a")
        try write(Array("twice on both".utf8), "twice/b \u{E9}")
        try write(long, "long/on both")
        try write(long + [UInt8(number)], "long/differs at its end")
        try write(Array("only on \(number)".utf8), "deep/er/alone")
        try write(Array("twice on \(number)".utf8), "one")
        try write(Array("twice on \(number)".utf8), "deep/two")
        try write([], "empty")
        try FileManager.default.linkItem(
            at: folder.appendingPathComponent("one"),
            to: folder.appendingPathComponent("one again")
        )
        return folder.path
    }
}
