import FindDuplicates
import Foundation

/// A separate folder for a test, which is removed with the object.
final class TemporaryFolder: Sendable {
    let path: String

    /// Creates the folder.
    ///
    /// - Throws: The error if it cannot be created.
    init() throws {
        let temporary = FileManager.default.temporaryDirectory
        path = temporary.appendingPathComponent("find-duplicates-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o755)
    }

    deinit {
        // Unlike FileManager, this also removes paths longer than PATH_MAX.
        let remove = Process()
        remove.executableURL = URL(fileURLWithPath: "/bin/rm")
        remove.arguments = ["-rf", path]
        try? remove.run()
        remove.waitUntilExit()
    }

    var bytes: BytePath { BytePath(path) }

    /// The path of an entry, whose name may contain any bytes.
    func entry(_ name: [UInt8]) -> BytePath {
        BytePath(bytes: Array(path.utf8) + [0x2F] + name)
    }

    /// The path of an entry.
    func entry(_ name: String) -> BytePath {
        entry(Array(name.utf8))
    }

    /// Creates a subfolder.
    @discardableResult
    func makeFolder(_ name: String) -> BytePath {
        let made = entry(name)
        made.withName { requireSuccess(mkdir($0, 0o755), "mkdir \(name)") }
        return made
    }

    /// Creates a file with the given content.
    @discardableResult
    func makeFile(_ name: String, _ content: String) -> BytePath {
        makeFile(Array(name.utf8), Array(content.utf8))
    }

    /// Creates a file with the given content and any name.
    @discardableResult
    func makeFile(_ name: [UInt8], _ content: [UInt8]) -> BytePath {
        let made = entry(name)
        made.withName { name in
            let descriptor = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0o644)
            requireSuccess(descriptor, "open")
            requireSuccess(
                content.isEmpty ? 0 : Int32(write(descriptor, content, content.count)),
                "write"
            )
            close(descriptor)
        }
        return made
    }

    /// Creates a file of zeros that uses no space on the disk.
    func makeSparseFile(_ name: String, size: Int64) {
        makeFile(name, "").withName { requireSuccess(truncate($0, off_t(size)), "truncate") }
    }
}

extension BytePath {
    /// Calls a closure with the path as a C string.
    func withName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0])
            .withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { buffer in
                    guard let name = buffer.baseAddress else { preconditionFailure("No buffer") }
                    return body(name)
                }
            }
    }
}

/// Ends the test run if a system call fails that a test relies on.
func requireSuccess(_ result: Int32, _ what: String) {
    precondition(result >= 0, "\(what): \(String(cString: strerror(errno)))")
}
