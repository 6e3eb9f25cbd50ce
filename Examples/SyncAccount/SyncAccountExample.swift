import Foundation
import JobKit

/// Runs the job of the README and prints its timeline, or writes it as SVG to the named file.
@main
enum SyncAccountExample {
    static func main() async throws {
        let job = SyncAccount()
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        let count = try await job.run(timeout: .seconds(60))
        print("Stored \(count) articles.\n")
        if let file = CommandLine.arguments.dropFirst().first {
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
