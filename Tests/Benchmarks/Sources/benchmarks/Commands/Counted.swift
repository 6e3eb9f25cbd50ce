import ArgumentParser
import Foundation

/// Does work that other programs count.
struct Counted: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Do work whose instructions, allocations or system calls are counted."
    )

    @Argument(help: "The work.")
    var work: CountedWork

    @Argument(help: "The number of tasks.")
    var size: Int

    @Option(help: "The folder for journals.")
    var folder = FileManager.default.temporaryDirectory.path

    func run() throws {
        try work.run(size: size, folder: URL(filePath: folder, directoryHint: .isDirectory))
    }
}

extension CountedWork: ExpressibleByArgument {}
