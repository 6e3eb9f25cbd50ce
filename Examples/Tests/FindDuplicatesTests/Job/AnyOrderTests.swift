import Foundation
import JobKitTesting
import XCTest

@testable import FindDuplicates

/// Tests small trees with links and unusual names, independent of the order of tasks.
final class AnyOrderTests: XCTestCase {
    func testReportOfATreeNamedInOddWaysIsTheSameInAnyOrder() throws {
        for seed in 0..<60 as Range<UInt64> {
            let folder = try TemporaryFolder()
            var generator = SeededGenerator(seed: seed)
            let arguments = build(in: folder, using: &generator)
            let names = arguments.map { String(decoding: $0.bytes, as: UTF8.self) }
            let expected = report(of: arguments, order: 0)
            for order in 1..<8 as Range<UInt64> {
                let other = report(of: arguments, order: order)
                XCTAssertEqual(other.groups, expected.groups, "\(seed), \(order): \(names)")
                XCTAssertEqual(other.problems, expected.problems, "\(seed), \(order): \(names)")
                XCTAssertEqual(other.scannedFiles, expected.scannedFiles, "\(seed), \(order)")
                XCTAssertEqual(other.hashedBytes, expected.hashedBytes, "\(seed), \(order)")
            }
            check(expected, arguments)
        }
    }

    private func report(of arguments: [BytePath], order: UInt64) -> DuplicateReport {
        let queue = StepQueue()
        let job = FindDuplicatesJob(folders: arguments, width: 3, queue: queue)
        job.startJob(on: queue)
        queue.runAll(seed: order)
        XCTAssert(job.report.isComplete)
        return job.report
    }

    /// Checks that each file occurs once, together with all files of equal content.
    private func check(_ report: DuplicateReport, _ arguments: [BytePath]) {
        var seen: [String: Set<FileKey>] = [:]
        for argument in arguments {
            let name = String(decoding: argument.bytes, as: UTF8.self)
            for path in files(at: name, followsLink: true) {
                let content = FileManager.default.contents(atPath: path) ?? Data()
                seen[String(decoding: content, as: UTF8.self), default: []]
                    .insert(FileKey(following: BytePath(path)))
            }
        }
        let found = report.groups.map { $0.paths.map { FileKey(following: $0) } }
        XCTAssert(found.allSatisfy { Set($0).count == $0.count }, "\(report.groups)")
        XCTAssertEqual(Set(found.map(Set.init)), Set(seen.values.filter { $0.count > 1 }))
    }

    private func files(at path: String, followsLink: Bool) -> [String] {
        let file = BytePath(path)
        var status = stat()
        let result = file.withName { followsLink ? stat($0, &status) : lstat($0, &status) }
        guard result == 0 else { return [] }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return [path]
        case S_IFDIR:
            let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/.")
            return (names ?? []).flatMap { files(at: path + "/" + $0, followsLink: false) }
        default: return []
        }
    }

    /// Creates a tree, and selects some of its paths as arguments.
    private func build(
        in folder: TemporaryFolder,
        using generator: inout SeededGenerator
    ) -> [BytePath] {
        var (folders, files, all) = ([""], [String](), ["", "none"])
        for number in 0..<14 {
            let name = "\(folders.randomElement(using: &generator) ?? "")/\(number)"
            all.append(name)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1:
                folder.makeFolder(name)
                folders.append(name)
            case 2:
                guard let file = files.randomElement(using: &generator) else { continue }
                folder.entry(file)
                    .withName { file in
                        folder.entry(name).withName { requireSuccess(link(file, $0), "link") }
                    }
            case 3, 4:
                let target = folder.path + (all.randomElement(using: &generator) ?? "")
                folder.entry(name).withName { requireSuccess(symlink(target, $0), "symlink") }
            default:
                folder.makeFile(name, Bool.random(using: &generator) ? "same" : "more")
                files.append(name)
            }
        }
        return (0..<Int.random(in: 2...6, using: &generator))
            .map { _ in
                let name = folder.path + (all.randomElement(using: &generator) ?? "")
                let again = "/../" + (name.split(separator: "/").last ?? "")
                let end = ["", "", "/", "//", "/.", again].randomElement(using: &generator)
                return BytePath(name + (end ?? ""))
            }
    }
}
