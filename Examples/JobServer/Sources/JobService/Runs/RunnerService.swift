import ServiceLifecycle

/// Lets the runs end during a shutdown, and ends after them.
///
/// It is the last of the services. A shutdown begins with it, while the other services still
/// answer.
struct RunnerService: Service {
    let runner: Runner
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        await withGracefulShutdownHandler {
            await runner.waitUntilFinished()
        } onGracefulShutdown: {
            runner.stop()
        }
        runner.hub.close()
        // Streams of clients that read data close at once. The service does not wait for stuck
        // clients. On a busy machine, however, the others need time to send the last ends.
        await waitForListeners(seconds: 1)
        runner.hub.dropListeners(whoAreStuck: true)
        await waitForListeners(seconds: 9)
        runner.hub.dropListeners(whoAreStuck: false)
    }

    private func waitForListeners(seconds: Int) async {
        for _ in 0..<20 * seconds {
            guard runner.hub.hasListeners else { return }
            try? await clock.sleep(for: .milliseconds(50))
        }
    }
}
