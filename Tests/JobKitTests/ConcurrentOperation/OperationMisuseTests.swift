import Foundation
import JobKit
import JobKitTesting
import Testing

// Exit tests start a process, which only these platforms support.
#if os(macOS) || os(Linux)
/// Checks that the process trapped with a message that names the operation.
@Suite(.timeLimit(.minutes(30))) struct OperationMisuseTests {
    private func expectMessage(_ result: ExitTest.Result?, _ parts: String...) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in parts { #expect(text.contains(part), "\(text)") }
    }

    // O7
    @Test func startingAFinishedOperationAgainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = ConcurrentOperation()
            operation.name = "resize cover.png"
            operation.start()
            operation.start()
        }
        expectMessage(result, "JobKit:", "resize cover.png", "started twice")
    }

    // O7: if it has no name, its type is named.
    @Test func startingAnExecutingOperationAgainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.start()
            operation.start()
        }
        expectMessage(result, "HeldOperation", "started twice")
    }

    // O7
    @Test func startingACancelledOperationAgainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = HeldOperation("upload", stopsWhenCancelled: false)
            operation.cancel()
            operation.start()
            operation.start()
        }
        expectMessage(result, "upload", "started twice")
    }

    // O7: inside its own main.
    @Test func startingAnOperationInItsOwnMainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            ScriptedOperation { $0.start() }.start()
        }
        expectMessage(result, "ScriptedOperation", "started twice")
    }

    // O8
    @Test func settingTheClockAfterTheStartTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = HeldOperation("download", stopsWhenCancelled: false)
            operation.start()
            operation.clock = ManualClock()
        }
        expectMessage(result, "clock", "download", "after its start")
    }
}
#endif
