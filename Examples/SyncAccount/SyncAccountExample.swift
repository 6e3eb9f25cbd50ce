import Foundation
import JobKit

/// Runs the job of the README and prints its timeline, or writes it as SVG to the named file.
@main
enum SyncAccountExample {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            FileHandle.standardError.write(Data("Usage: sync-account [<file.svg>]\n".utf8))
            exit(EX_USAGE)
        }
        let job = SyncAccount()
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        let count = try await job.run(timeout: .seconds(60))
        print("Stored \(count) articles.\n")
        if let file = arguments.first {
            let picture = Data(recorder.timeline.svg().utf8)
            do { try picture.write(to: URL(filePath: file)) } catch {
                let text = "sync-account: \(file): \(error.localizedDescription)\n"
                FileHandle.standardError.write(Data(text.utf8))
                exit(EX_CANTCREAT)
            }
        } else {
            print(recorder.timeline.text())
        }
    }
}
