import Foundation
import XCTest

/// A separate file system with little space.
final class SmallDisk {
    let path: String

    /// Mounts it.
    ///
    /// - Throws: `XCTSkip` if mounting is not permitted.
    init(in folder: TestFolder, megabytes: Int) throws {
        path = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let mount = try RunningCommand(
            "/bin/mount",
            ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]
        )
        guard try mount.waitForEnd() == 0 else {
            throw XCTSkip("A disk can be mounted by root alone: \(mount.messages)")
        }
    }

    deinit { _ = try? RunningCommand("/bin/umount", ["-l", path]).waitForEnd() }

    /// Leaves no byte free.
    func fill() throws {
        let file = open(path + "/fill", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(file, block, block.count) > 0 {}
        XCTAssertEqual(errno, ENOSPC)
    }

    func empty() throws { XCTAssertEqual(unlink(path + "/fill"), 0) }
}
