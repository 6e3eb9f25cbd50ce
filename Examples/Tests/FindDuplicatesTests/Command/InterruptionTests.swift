import FindDuplicates
import Foundation
import XCTest

/// Tests the end of the command after signals, and if the system denies resources.
final class InterruptionTests: XCTestCase {
    /// A folder that takes minutes to search.
    private func largeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folder.makeSparseFile("1", size: 1 << 40)
        folder.makeSparseFile("2", size: 1 << 40)
        return folder
    }

    /// Starts the command in the background, and continues once it reads the large files.
    ///
    /// Without job control, a shell makes its background commands ignore SIGINT and SIGQUIT.
    private static let begin = """
        set -m
        "$0" --no-progress "$1" & pid=$!
        until ls -l /proc/$pid/fd 2>/dev/null | grep -q "$1/2"; do kill -0 $pid || exit 99; done

        """

    func testSignalsThatWereIgnoredStayIgnored() async throws {
        let script =
            "trap '' INT; " + Self.begin + """
                kill -INT $pid; kill -INT $pid
                kill -0 $pid && echo "still there"; kill -TERM $pid; wait $pid; echo $?
                """
        let folder = try largeFolder()
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(
            String(decoding: run.output, as: UTF8.self),
            "still there\n143\n",
            run.messageText
        )
    }

    func testRequestToTerminateEndsIt() async throws {
        let folder = try largeFolder()
        let script = Self.begin + "kill -TERM $pid; wait $pid; echo $?"
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(String(decoding: run.output, as: UTF8.self), "143\n")
        XCTAssert(run.messageText.contains("interrupted; what was found"), run.messageText)
    }

    /// Otherwise, Swift's runtime would print a backtrace and continue.
    func testQuitEndsItAtOnce() async throws {
        let folder = try largeFolder()
        let script = "ulimit -c 0; " + Self.begin + "kill -QUIT $pid; wait $pid; echo $?"
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(String(decoding: run.output, as: UTF8.self), "131\n")
        XCTAssertFalse(run.messageText.contains("crashed"), run.messageText)
    }

    /// A loop in a shell ends at ^C only if the command dies of the signal.
    func testLoopOfAShellEndsAtAnInterrupt() async throws {
        let folder = try largeFolder()
        let script = """
            set -m
            bash -c 'for i in 1 2 3; do echo $i; "$0" --no-progress "$1"; done' "$0" "$1" & pid=$!
            until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q "$1/2"; do kill -0 $pid || exit 99; done
            kill -INT -$pid; wait $pid; echo $?
            """
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(String(decoding: run.output, as: UTF8.self), "1\n130\n")
    }

    /// With any amount of memory, it completes, fails, or ends at the first signal.
    func testOneSignalEndsItHoweverLittleMemoryThereIs() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<300 { folder.makeFile("\(number)", "\(number % 50) same") }
        let script = """
            for limit in 150000 200000 250000 300000 400000; do
                (ulimit -v $limit; timeout -s TERM -k 60 10 "$0" "$1" >/dev/null; echo $?) &
            done 2>/dev/null
            wait
            """
        let run = try await CommandRun.script(script, folder.path)
        let statuses = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
        XCTAssertEqual(statuses.count, 5)
        // `timeout -k` returns 137 after SIGKILL.
        XCTAssertFalse(statuses.contains("137"), "\(statuses)")
    }

    func testTooFewThreadsAreAnError() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<33 { folder.makeFile("\(number)", "same") }
        let command = "\(folder.path)/command"
        try FileManager.default.copyItem(atPath: CommandRun.command, toPath: command)
        // The limits do not apply to the superuser, so another user runs the command.
        let script = """
            run='ulimit -u "$1"; exec "$2" --print0 "$3"'
            if [ "$(id -u)" = 0 ]; then
                exec setpriv --reuid=65533 --regid=65533 --clear-groups bash -c "$run" bash "$@"
            fi
            exec bash -c "$run" bash "$@"
            """
        // It needs two threads, two per core, and two as a reserve.
        let most = 2 * ProcessInfo.processInfo.activeProcessorCount + 3
        for limit in [2, 3, 4, most] {
            let run = try await CommandRun.script(script, "\(limit)", command, folder.path)
            XCTAssertEqual(run.status, 71, run.messageText)
            XCTAssert(run.messageText.contains("the system starts too few threads"))
        }
    }
}
