import Foundation

@testable import JobJournal
@testable import JobKit

/// Adds some entries to an outbox in each session, and performs all of them.
///
/// The log gets a line for each added entry, each call of `perform`, and each success that is in
/// the file.
enum CrashingOutbox {
    private struct Refused: Error {}

    static func run(
        at folder: URL,
        _ safety: JobJournal.Safety,
        _ calls: FileCalls,
        _ log: CrashLog
    ) async {
        var configuration = OutboxConfiguration<Int>()
        configuration.safety = safety
        configuration.concurrencyLimit = 3
        configuration.interruptionLimit = nil
        configuration.retryPolicy = RetryPolicy { _, _ in .zero }
        do {
            let outbox = try JobOutbox<Int>(at: folder, "crashes", configuration, calls: calls) {
                number,
                attempt in
                log.write("performs \(attempt.id) \(attempt.key ?? "-") \(attempt.mayHaveBegun)")
                if number % 5 == 0, attempt.failureCount == 0 { throw Refused() }
            }
            let events = outbox.events()
            let watching = Task {
                for await event in events where event.kind == .finished {
                    log.write("finished \(event.id)")
                }
            }
            for number in 0..<8 {
                let key = number % 4 == 3 ? nil : "key \(number % 4)"
                let id = try outbox.add(number, key: key)
                log.write("added \(id)")
            }
            for id in try outbox.add(contentsOf: [8, 9, 10], key: { _ in "key 0" }) {
                log.write("added \(id)")
            }
            try await outbox.flush()
            for entry in outbox.entries(limit: .max) {
                try await outbox.waitForFinish(of: entry.id)
            }
            await outbox.close()
            await watching.value
            log.write("result \(outbox.entries().count)")
        } catch {
            log.write("failed \(error)")
            exit(2)
        }
    }
}
