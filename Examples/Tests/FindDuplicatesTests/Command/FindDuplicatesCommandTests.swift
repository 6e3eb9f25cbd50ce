import FindDuplicates
import Foundation
import XCTest

/// Tests the command as a process: its output and its exit status.
final class FindDuplicatesCommandTests: XCTestCase {
    func testPlainOutputHasThePathsAsTheyAre() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        let run = try await CommandRun.run(folder.path)
        let texts = expected.map { group in
            group.paths.map { $0.bytes + [0x0A] }.reduce([], +)
        }
        XCTAssertEqual(run.output, Array(texts.joined(separator: [0x0A])))
        XCTAssertEqual(run.messageText, "")
        XCTAssertEqual(run.status, 0)
    }

    func testPrint0KeepsEveryName() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        let run = try await CommandRun.run("--print0", "--width", "1", folder.path)
        XCTAssertEqual(run.groups, expected.map(\.paths))
        XCTAssertEqual(run.status, 0)
    }

    func testJSONIsOneObjectAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        let run = try await CommandRun.run("--json", "--no-progress", folder.path)
        let object = try run.json()
        let groups = try XCTUnwrap(object["groups"] as? [[String: Any]])
        XCTAssertEqual(groups.map { $0["size"] as? Int }, expected.map { Int($0.size) })
        for (group, expected) in zip(groups, expected) {
            let exact = (group["pathsBase64"] as? [String])?
                .map {
                    Data(base64Encoded: $0).map { BytePath(bytes: Array($0)) }
                }
            let plain = (group["paths"] as? [String])?.map { BytePath($0) }
            XCTAssertEqual(exact ?? plain, expected.paths)
        }
        XCTAssertGreaterThan(try XCTUnwrap(object["scannedFiles"] as? Int), 30)
        XCTAssertGreaterThan(try XCTUnwrap(object["hashedBytes"] as? Int), 600_000)
        XCTAssertNil(object["incomplete"])
        XCTAssertEqual(run.messageText, "")
        XCTAssertEqual(run.status, 0)
    }

    func testMinimumSizeLeavesSmallerFilesOut() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder).filter { $0.size >= 1025 }
        for size in ["1025", "1025B"] {
            let run = try await CommandRun.run("--print0", "--min-size", size, folder.path)
            XCTAssertEqual(run.groups, expected.map(\.paths))
        }
        let run = try await CommandRun.run("--print0", "--min-size", "2K", folder.path)
        XCTAssertEqual(run.groups.count, expected.filter { $0.size >= 2048 }.count)
    }

    func testWrongUsageEndsWith64AndNothingOnStandardOutput() async throws {
        let folder = try TemporaryFolder()
        let wrong = [
            [], ["--json", "--print0", folder.path], ["--width", "0", folder.path],
            ["--min-size", "-1", folder.path], ["--min-size", "x", folder.path],
            ["--width", "-1", folder.path], ["--unknown", folder.path],
        ]
        for arguments in wrong {
            let run = try await CommandRun.run(CommandRun.command, arguments)
            XCTAssertEqual(run.status, 64, "\(arguments)")
            XCTAssertEqual(run.output, [], "\(arguments)")
            XCTAssert(run.messageText.contains("Error: "), "\(arguments)")
        }
    }

    func testFolderThatDoesNotExistEndsWith66AndNothingOnStandardOutput() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        let wrong = [
            ("\(folder.path)/none", "\(folder.path)/none: no such file or folder"),
            ("", "\"\": no such file or folder"),
            ("/dev/null", "/dev/null: neither a folder nor a file"),
        ]
        for (path, message) in wrong {
            let run = try await CommandRun.run("--json", folder.path, path)
            XCTAssertEqual(run.status, 66)
            XCTAssertEqual(run.output, [])
            XCTAssertEqual(run.messageText, "find-duplicates: \(message)\n")
        }
    }

    func testFolderNamedByBytesThatAreNotUTF8IsFound() async throws {
        let folder = try TemporaryFolder()
        folder.entry([0x64, 0xE9]).withName { requireSuccess(mkdir($0, 0o755), "mkdir") }
        let names: [[UInt8]] = [[0x64, 0xE9, 0x2F, 0x61], [0x64, 0xE9, 0x2F, 0x62]]
        let files = names.map { folder.makeFile($0, [0x61]) }
        let script = #"exec "$0" --print0 "$1/d"$'\xe9'"#
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(run.groups, [files])
        XCTAssertEqual(run.status, 0)
    }

    func testWhatMayNotBeReadIsNamedAndTheRestGoesOn() async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "same size", "other"] {
            folder.makeFile(name, name == "other" ? "of a size of its own" : "same")
        }
        let hidden =
            ["same size", "other"].map { folder.entry($0) } + [folder.makeFolder("closed")]
        for path in hidden { path.withName { requireSuccess(chmod($0, 0), "chmod") } }
        // If the tests run as the superuser, the command runs as another user.
        let command = "\(folder.path)/command"
        try FileManager.default.copyItem(atPath: CommandRun.command, toPath: command)
        let script = """
            [ "$(id -u)" != 0 ] || set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
            exec "$@"
            """
        let run = try await CommandRun.script(script, command, "--print0", folder.path)
        XCTAssertEqual(run.groups, [[folder.entry("a"), folder.entry("b")]])
        XCTAssertEqual(run.status, 1)
        let lines = hidden.sorted()
            .map {
                "find-duplicates: \(String(decoding: $0.bytes, as: UTF8.self)): Permission denied\n"
            }
        XCTAssertEqual(run.messageText, lines.joined())
        folder.entry("closed").withName { requireSuccess(chmod($0, 0o755), "chmod") }
    }

    func testClosedPipeEndsTheCommandQuietly() async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 200)
        for number in 0..<2000 { folder.makeFile("\(name)\(number)", "same") }
        for format in ["", "--json", "--print0"] {
            let script = #""$0" \#(format) "$1" | head -c 1; echo "${PIPESTATUS[0]}" >&2"#
            let run = try await CommandRun.script(script, folder.path)
            XCTAssertEqual(run.output.count, 1)
            XCTAssertEqual(run.messageText, "0\n")
        }
    }

    func testOutputThatCannotBeWrittenEndsWith74() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        let run = try await CommandRun.script(#"exec "$0" "$1" >/dev/full"#, folder.path)
        XCTAssertEqual(run.status, 74)
        XCTAssertEqual(
            run.messageText,
            "find-duplicates: standard output: No space left on device\n"
        )
    }

    func testMoreFilesThanDescriptors() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<200 {
            folder.makeFolder("\(number)")
            folder.makeFile("\(number)/file", String(repeating: "x", count: 3000))
        }
        let script = #"ulimit -n 24; exec "$0" --print0 --width 64 "$1""#
        let run = try await CommandRun.script(script, folder.path)
        XCTAssertEqual(run.groups.map(\.count), [200])
        XCTAssertEqual(run.messageText, "")
        XCTAssertEqual(run.status, 0)
    }

    /// The repository has one version, the newest one in the release notes.
    func testVersionIsThatOfTheReleaseNotes() async throws {
        let repository = (0..<5)
            .reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let file = repository.appending(path: "Sources/JobKit/JobKit.docc/Release-Notes.md")
        let notes = try String(contentsOf: file, encoding: .utf8)
        let version = try XCTUnwrap(notes.firstMatch(of: #/\n## (\d+\.\d+\.\d+)\n/#)).1
        let run = try await CommandRun.run("--version")
        XCTAssertEqual(String(decoding: run.output, as: UTF8.self), "\(version)\n")
        XCTAssertEqual(run.status, 0)
    }

    func testNegativeSizeIsSaidToBeOne() async throws {
        let run = try await CommandRun.run("--min-size", "-1", ".")
        XCTAssert(run.messageText.contains("must not be negative"), run.messageText)
    }

    func testFilesAsArgumentsAreCompared() async throws {
        let folder = try TemporaryFolder()
        let files = ["-r", "other"].map { folder.makeFile($0, "same") }
        let paths = files.map { String(decoding: $0.bytes, as: UTF8.self) }
        let run = try await CommandRun.run("--print0", paths[0], paths[1])
        XCTAssertEqual(run.groups, [files])
        XCTAssertEqual(run.status, 0)
    }

    func testTooFewDescriptorsAreAnError() async throws {
        let folder = try TemporaryFolder()
        for limit in [6, 8, 9] {
            let script = #"ulimit -n "$2"; exec "$0" "$1""#
            let run = try await CommandRun.script(script, folder.path, "\(limit)")
            XCTAssertEqual(run.status, 71)
            XCTAssert(run.messageText.contains("only \(limit) files may be open"), run.messageText)
        }
    }

    func testClosedStandardOutputIsSaidToBeClosed() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        let run = try await CommandRun.script(#"exec "$0" "$1" >&-"#, folder.path)
        XCTAssertEqual(run.status, 74)
        XCTAssertEqual(run.messageText, "find-duplicates: standard output: Bad file descriptor\n")
    }

    func testFilesOfTheKernelAreSaidToBeShort() async throws {
        let run = try await CommandRun.run("--print0", "/sys/kernel")
        XCTAssertFalse(run.messageText.contains("changed while"), run.messageText)
    }
}
