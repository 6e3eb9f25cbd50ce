import Foundation
import JobKit
import Testing

// Exit tests start a process, which only these platforms support.
#if os(macOS) || os(Linux)
/// Returns the message of the trap.
private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

private func named<Named: Operation>(_ operation: Named, _ name: String) -> Named {
    operation.name = name
    return operation
}

// J13, J15
@Suite struct JobMisuseTests {
    @Test func trackingATaskAgainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            let task = named(ConcurrentOperation(), "parse")
            job.track(task)
            job.track(task)
        }
        #expect(message(result).contains("Import can't track parse again before it is delivered."))
    }

    @Test func trackingAPlainTaskAgainTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            let task = named(BlockOperation {}, "parse")
            job.track(task)
            task.start()
            job.track(task)
        }
        #expect(message(result).contains("Import can't track parse again before it is delivered."))
    }

    @Test func trackingItselfTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.track(job)
        }
        #expect(message(result).contains("Import can't track itself"))
    }

    @Test func trackingAnAncestorTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let jobs = ["A", "B", "C"].map { named(JobController(), $0) }
            jobs[0].track(jobs[1])
            jobs[1].track(jobs[2])
            jobs[2].track(jobs[0])
        }
        #expect(message(result).contains("C can't track A"))
    }

    @Test func trackingAStartedAncestorTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let jobs = ["A", "B", "C"].map { named(JobController(), $0) }
            jobs[0].track(jobs[1])
            jobs[1].track(jobs[2])
            jobs[2].track(named(ConcurrentOperation(), "open"))
            for job in jobs { job.start() }
            jobs[2].track(jobs[0])
        }
        #expect(message(result).contains("C can't track A"))
    }

    @Test func trackingIntoAFinishedJobTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.start()
            job.track(named(ConcurrentOperation(), "late"))
        }
        let expected =
            "Import can't track late because Import has finished. "
            + "Keep it open with an EventOperation that ends after the last call of track."
        #expect(message(result).contains(expected))
    }

    @Test func groupLimitBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            named(JobController(), "Import").setMaxConcurrentOperationCount(0, for: .named("parse"))
        }
        #expect(message(result).contains("parse"))
        #expect(message(result).contains("Import"))
    }

    @Test func startingAJobTwiceTraps() async {
        // O7
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.track(ConcurrentOperation())
            job.start()
            job.start()
        }
        #expect(message(result).contains("Import was started twice"))
    }

    @Test func contextThatDoesNotCallItsBodyTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.setContext { _ in }
            job.start()
        }
        #expect(message(result).contains("the context of Import called its body 0 times"))
    }

    @Test func contextThatCallsItsBodyTwiceTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.setContext { body in
                body()
                body()
            }
            job.start()
        }
        #expect(message(result).contains("the context of Import called its body 2 times"))
    }

    @Test func contextSetAfterTheStartTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let job = named(JobController(), "Import")
            job.start()
            job.setContext { $0() }
        }
        #expect(message(result).contains("the context of Import was set after its start"))
    }
}
#endif
