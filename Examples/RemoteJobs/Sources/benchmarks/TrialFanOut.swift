import ArgumentParser
import Foundation
import JobKit
import RemoteJobs

/// A job of many trials.
struct TrialFanOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan-out",
        abstract: "Run a job of many trials and print what was counted."
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "The job's id.")
    var job = "fan-out-\(getpid())"

    @Option(help: "The place where its tasks run; any unless given.")
    var place: String?

    @Option(help: "How many tasks the job has.")
    var count = 1_000

    @Option(help: "How many of them are tracked at a time.")
    var most = 20_000

    @Option(help: "How long a task takes, in milliseconds.")
    var milliseconds = 0

    @Option(help: "How many bytes a task's outcome has, about.")
    var bytes = 0

    @Option(help: "Which task kills its worker, if one does.")
    var poison: Int?

    @Option(help: "How many seconds a lost broker is tried for.")
    var patience = 200

    @Flag(help: "Forget the job at its end.")
    var remove = false

    @Flag(help: "Print what the job waits for, each second, on standard error.")
    var explain = false

    func run() async throws {
        let session = RemoteSession(
            job: job,
            brokers: try options.all(),
            options: .init(patience: .seconds(patience))
        )
        try await session.open()
        let (milliseconds, bytes, poison) = (milliseconds, bytes, poison)
        let trials = TrialJob(count, atATime: most, in: session, at: place) { number in
            Trial.Input(milliseconds: milliseconds, bytes: bytes, kills: number == poison)
        }
        trials.name = job
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { trials.cancel() }
        interrupt.resume()
        let explaining = Task { [explain] in
            while explain {
                try await Task.sleep(for: .seconds(1))
                let text = trials.explainStall(limit: 3)
                FileHandle.standardError.write(Data("\(text)\n".utf8))
            }
        }
        let start = ContinuousClock.now
        var end = "succeeded"
        do {
            try await trials.run()
        } catch {
            end = "\(error)"
        }
        explaining.cancel()
        let seconds = Double(start.duration(to: .now) / .milliseconds(1)) / 1_000
        try await session.close(removingJob: remove)
        let counts = session.counts
        print(
            """
            tasks \(count) callbacks \(trials.callbackCount) failed \(trials.failures.count) \
            published \(counts.published) adopted \(counts.adopted) known \(counts.knownOutcomes) \
            duplicates \(counts.duplicateOutcomes) seconds \(seconds) end \(end)
            processor \(Usage.own.processorMicroseconds) µs, peak \(Usage.own.peakKiB) KiB
            """
        )
        for (key, error) in trials.failures.sorted(by: { $0.key < $1.key }).prefix(5) {
            print("\(key): \(error)")
        }
    }
}
