import ServiceLifecycle

/// Lets the runs end when the server shall stop, and ends when they have.
///
/// It is the last of the services: a shutdown begins with it, while the others still answer.
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
        // Streams that take what is written to them close at once. Those that do not are not waited
        // for, but on a busy machine the others need their time: the last ends are to be told.
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
