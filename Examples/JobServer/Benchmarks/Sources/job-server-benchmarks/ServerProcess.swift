import Foundation

/// The real command on a free port with a separate database, which ends with this object.
final class ServerProcess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: Int
    let processID: Int32
    private let folder: URL

    /// Starts the command that was built together with this one, and returns when it is serving.
    init(_ arguments: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "job-server-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let log = folder.appending(path: "log").path
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let process = Process()
        process.executableURL = own.deletingLastPathComponent().appending(path: "job-server")
        let portFile = folder.appending(path: "port").path
        process.arguments =
            [
                "--port", "0", "--port-file", portFile,
                "--data", folder.appending(path: "data.sqlite").path,
            ] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        processID = process.processIdentifier
        var port: Int?
        while port == nil, process.isRunning {
            try await Task.sleep(for: .milliseconds(10))
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            port = Int(text.trimmingCharacters(in: .newlines))
        }
        guard let port else {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw Failure(description: "The server ended: \(text)")
        }
        self.port = port
    }

    deinit {
        kill(processID, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    var milliseconds: Double { ProcessReading.milliseconds(of: processID) }
    var residentKiB: Double { ProcessReading.residentKiB(of: processID) }

    /// Waits until no run is queued or running.
    func waitUntilIdle() async throws {
        while true {
            let text = try await Requests(.get("/metrics"), to: port).send()
            let counts = text.split(separator: "\n").filter { $0.hasPrefix("jobkit_jobs{") }
            if counts.allSatisfy({ $0.hasSuffix(" 0") }) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Submits one job with a number of steps.
    ///
    /// - Returns: The run's number.
    @discardableResult
    func submitSteps(_ count: Int, milliseconds: Int = 0) async throws -> Int {
        let question = Question.steps(count, milliseconds: milliseconds)
        let answer = try await Requests(question, to: port).send()
        let number = answer.dropFirst(#"{"id":"#.count).prefix { $0.isNumber }
        guard let id = Int(number) else { throw Failure(description: "No run: \(answer)") }
        return id
    }
}
