import Foundation

@testable import JobJournal
@testable import JobKit

/// A journaled job of about 40 steps that is killed at one of its changes of the disk.
///
///     journal-crash-job FOLDER SAFETY LOG [before|in|after NUMBER | limit BYTES]
///
/// If SAFETY is `outbox` or `syncedOutbox`, it performs the entries of an outbox instead.
///
/// The log gets a line for each body that runs and each outcome that is recorded. The last line of
/// a complete session is its result.
@main
struct JournalCrashJob {
    static func main() async {
        let arguments = CommandLine.arguments
        let log = CrashLog(path: arguments[3])
        var calls = FileCalls.system
        if arguments.count > 5, let number = Int(arguments[5]) {
            if arguments[4] == "limit" {
                limitFiles(to: number)
            } else {
                calls = killing(arguments[4], at: number)
            }
        }
        log.write("session")
        if arguments[2].lowercased().hasSuffix("outbox") {
            if arguments.count > 5, arguments[4] == "limit" {
                // An outbox would wait until there is room again.
                calls.write = { file, bytes, offset in
                    let count = FileCalls.system.write(file, bytes, offset)
                    if count < 0 { exit(2) }
                    return count
                }
            }
            return await CrashingOutbox.run(
                at: URL(fileURLWithPath: arguments[1]),
                arguments[2] == "outbox" ? .processCrash : .powerLoss,
                calls,
                log
            )
        }
        do {
            let journal = try JobJournal(
                at: URL(fileURLWithPath: arguments[1]),
                job: "crashes",
                safety: arguments[2] == "powerLoss" ? .powerLoss : .processCrash,
                calls: calls,
                watch: log
            )
            await live(journal, log)
        } catch {
            log.write("failed to open: \(error)")
            exit(2)
        }
    }

    private static func live(_ journal: JobJournal, _ log: CrashLog) async {
        let job = CrashingJob(journal, log)
        do {
            try await job.run()
            log.write("result \(try await job.value)")
        } catch {
            log.write(
                "failed \(error is JobJournal.WriteError ? "JobJournal.WriteError" : "\(error)")"
            )
        }
    }

    /// Returns system calls that kill the process before, in or after one of them.
    ///
    /// Writes, renames and deletions are counted together.
    private static func killing(_ place: String, at number: Int) -> FileCalls {
        let calls = Guarded(0)
        let isTheOne: @Sendable () -> Bool = {
            calls.withLock { count in
                count += 1
                return count == number
            }
        }
        let (rename, unlink) = (FileCalls.system.rename, FileCalls.system.unlink)
        let change: @Sendable (() -> Int) -> Int = { body in
            guard isTheOne() else { return body() }
            if place == "after" { _ = body() }
            kill(getpid(), SIGKILL)
            return 0
        }
        var killing = FileCalls.system
        killing.rename = { folder, old, new in change { rename(folder, old, new) } }
        killing.unlink = { folder, name in change { unlink(folder, name) } }
        killing.write = { file, bytes, offset in
            guard isTheOne() else { return FileCalls.system.write(file, bytes, offset) }
            let count = ["before": 0, "in": bytes.count / 2, "after": bytes.count][place] ?? 0
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            if count > 0 { _ = FileCalls.system.write(file, part, offset) }
            kill(getpid(), SIGKILL)
            return count
        }
        return killing
    }

    private static func limitFiles(to size: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
        #if os(Linux)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }
}

/// Lines that are in a file as soon as they are written.
struct CrashLog: JournalWatch {
    private let file: Int32

    init(path: String) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Foundation.write(file, bytes, bytes.count)
    }

    func stepRuns(_ key: String, path: [UInt8], version: Int) {}

    func stepRecorded(path: [UInt8], version: Int) {
        write("recorded \(JobJournal.parts(of: path).joined(separator: "."))")
    }
}
