import Foundation

@testable import FindDuplicates

/// A folder with many special cases.
enum OddTree {
    /// Builds the tree.
    ///
    /// - Parameter folder: The parent folder.
    /// - Returns: The groups that a search of the folder must find.
    static func build(in folder: TemporaryFolder) -> [DuplicateGroup] {
        var groups: [[BytePath]] = []
        // Names with spaces, line breaks, quotes, bytes that are not UTF-8, and dots.
        folder.makeFolder("names")
        let names: [[UInt8]] = [
            Array("names/with space".utf8), Array("names/line\nbreak".utf8),
            Array("names/\"quoted\\".utf8), Array("names/".utf8) + [0x63, 0xE9, 0xFF],
            Array("names/.hidden".utf8), Array("names/...".utf8), Array("names/-rf".utf8),
            Array("names/\u{1F600}\u{10FF41}".utf8), Array("names/tab\tbell\u{7}".utf8),
        ]
        groups.append(names.map { folder.makeFile($0, Array("odd names".utf8)) })

        // Equal sizes with different contents in the head, after the head, or in the last byte.
        folder.makeFolder("sizes")
        let long = [UInt8](repeating: 0x61, count: 300_000)
        groups.append([
            folder.makeFile(Array("sizes/long 1".utf8), long),
            folder.makeFile(Array("sizes/long 2".utf8), long),
        ])
        for (number, location) in [0, 2000, long.count - 1].enumerated() {
            var changed = long
            changed[location] = 0x62
            folder.makeFile(Array("sizes/changed \(number)".utf8), changed)
        }
        // Sizes around the length of a head.
        for size in [1, 1023, 1024, 1025] {
            let content = [UInt8](repeating: 0x63, count: size)
            groups.append(
                (1...3).map { folder.makeFile(Array("sizes/\(size) \($0)".utf8), content) }
            )
            let other = content.dropLast() + [0x64]
            folder.makeFile(Array("sizes/\(size) other".utf8), Array(other))
        }
        // Empty files are not duplicates.
        folder.makeFile("sizes/empty 1", "")
        folder.makeFile("sizes/empty 2", "")

        // Hard links to one file count as one file, and symbolic links do not count.
        folder.makeFolder("links")
        let content = Array("linked".utf8)
        let first = folder.makeFile(Array("links/b".utf8), content)
        let other = folder.makeFile(Array("links/c".utf8), content)
        let firstLink = folder.entry("links/a")
        hardLink(first, firstLink)
        hardLink(other, folder.entry("links/d"))
        groups.append([firstLink, other])
        let alone = folder.makeFile("links/e", "only hard links to it")
        hardLink(alone, folder.entry("links/f"))
        for (target, link) in [
            ("b", "to file"), ("../names", "to folder"), ("..", "up"), ("no", "to none"),
        ] {
            folder.entry("links/\(link)")
                .withName { requireSuccess(symlink(target, $0), "symlink") }
        }
        // Only regular files may be opened, because reading a pipe could wait forever.
        folder.entry("links/pipe").withName { requireSuccess(mkfifo($0, 0o644), "mkfifo") }

        // A hundred levels of folders.
        var level = "levels"
        folder.makeFolder(level)
        for number in 1...100 {
            level += "/\(number)"
            folder.makeFolder(level)
        }
        groups.append([
            folder.makeFile("\(level)/deep", "deep down"),
            folder.makeFile("levels/top", "deep down"),
        ])
        return
            groups.map { paths in
                DuplicateGroup(size: size(of: paths[0]), paths: paths.sorted())
            }
            .sorted { $0.paths[0] < $1.paths[0] }
    }

    private static func hardLink(_ file: BytePath, _ name: BytePath) {
        file.withName { file in name.withName { requireSuccess(link(file, $0), "link") } }
    }

    private static func size(of file: BytePath) -> Int64 {
        var status = stat()
        file.withName { requireSuccess(stat($0, &status), "stat") }
        return Int64(status.st_size)
    }
}
