import Foundation
import JobKit
import XCTest

// J10 and section 7: runs long jobs in constant memory.
//
// A debug build does a tenth of the steps.
final class JobLengthScaleTests: XCTestCase {
    #if DEBUG
    private static let count = 100_000
    #else
    private static let count = 1_000_000
    #endif

    // Operation forces @unchecked. The properties are used in callbacks, and after the completion.
    /// Runs its steps one after another, or several at a time.
    private final class Steps: JobController, @unchecked Sendable {
        private let inFlight: Int
        private var begun = 0
        private(set) var done = 0
        private var sizeAtFirst = 0
        private(set) var growth = 0

        init(inFlight: Int) {
            self.inFlight = inFlight
            super.init()
        }

        override func main() {
            for _ in 0..<inFlight { step() }
        }

        private func step() {
            guard begun < JobLengthScaleTests.count else { return }
            begun += 1
            trackAndQueue(ConcurrentOperation()) { _ in
                self.done += 1
                if self.done == 10_000 { self.sizeAtFirst = residentSize() }
                self.step()
            }
        }

        override func allTasksFinished() { growth = residentSize() - sizeAtFirst }
    }

    private func runSteps(inFlight: Int) async throws {
        try XCTSkipIf(residentSize() == 0, "its memory cannot be read here")
        let job = Steps(inFlight: inFlight)
        try await job.run()
        XCTAssertEqual(job.done, Self.count)
        XCTAssertLessThan(job.growth, 16 << 20)
        print("\(Self.count) steps, \(inFlight) at a time: \(job.growth >> 10) KiB more")
    }

    func testSequentialStepsRunInFlatMemory() async throws {
        try await runSteps(inFlight: 1)
    }

    func testFanOutRunsInFlatMemory() async throws {
        try await runSteps(inFlight: 1_000)
    }

    /// A limit of `stopWithin` keeps nothing when the run has returned.
    ///
    /// 100,000 timers would need more than 16 MiB.
    func testCancelledRunsKeepNoTimer() async throws {
        try XCTSkipIf(residentSize() == 0, "its memory cannot be read here")
        var sizeAtFirst = 0
        for run in 1...min(Self.count, 200_000) {
            if run == 10_000 { sizeAtFirst = residentSize() }
            let task = Task {
                try await ConcurrentOperation().run(stopWithin: .seconds(3_600))
            }
            task.cancel()
            _ = await task.result
        }
        XCTAssertLessThan(residentSize() - sizeAtFirst, 16 << 20)
    }
}

/// The resident memory of the process in bytes, or 0 if it cannot be read.
private func residentSize() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
}
