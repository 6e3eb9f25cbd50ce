import Foundation
import JobKit
import Synchronization

/// A launch of eight tasks.
///
/// Two of them prepare, four show and hash files in parallel, and two wait for those four.
final class AppLaunch: TaskWorkflowDelegate, Sendable {
    let workflow = TaskWorkflow(name: "Launch")
    private let recorder = TimelineRecorder()
    private let show: @Sendable (String) -> Void
    private let (ended, end) = AsyncStream.makeStream(of: Void.self)

    init(folder: URL, show: @escaping @Sendable (String) -> Void) {
        self.show = show
        let library = Library(folder: folder)
        let title = Mutex("")
        let makeTitle: @Sendable (LaunchContext) -> Void = { context in
            let user = context["user"] as? String ?? "you"
            title.withLock { $0 = "\(folder.lastPathComponent), for \(user)" }
        }

        workflow.delegate = self
        workflow.addObserver(recorder)
        workflow.addTask(ClosureTask(name: "Make title", makeTitle))
        workflow.addTask(ClosureTask(name: "List files") { _ in try library.list() })
        workflow.addBlockingTasks([
            ClosureTask(name: "Make window") { _ in
                // Work that must run on the main thread: fonts, windows, views.
                show("Making the window")
            },
            ClosureTask(name: "Show count") { _ in show("Files: \(library.files.count)") },
            ClosureTask(name: "Hash even files", queue: .concurrentQueue) { _ in
                try library.hash(oddPlaces: false)
            },
            ClosureTask(name: "Hash odd files", queue: .concurrentQueue) { _ in
                try library.hash(oddPlaces: true)
            },
        ])
        workflow.addTask(ClosureTask(name: "Show title") { _ in show(title.withLock { $0 }) })
        workflow.addTask(
            ClosureTask(name: "Show contents") { _ in
                show("Different contents: \(Set(library.checksums.values).count)")
            }
        )
    }

    func run(user: String) async {
        workflow.start(context: ["user": user])
        for await _ in ended {}
    }

    func workflowDidFinish(_ workflow: TaskWorkflow) {
        show(workflow.generateTimeline())
        show("What decided how long it took:")
        for task in recorder.timeline.criticalPath {
            show("\(task.name), \(milliseconds(task.end - task.start))")
        }
        end.finish()
    }

    private func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f ms", duration / .milliseconds(1))
    }
}
