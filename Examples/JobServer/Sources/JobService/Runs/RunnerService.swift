import ServiceLifecycle

/// Lets the runs end when the server shall stop, and ends when they have.
///
/// It is the last of the services: a shutdown begins with it, while the others still answer.
struct RunnerService: Service {
    let runner: Runner

    func run() async throws {
        await withGracefulShutdownHandler {
            await runner.waitUntilFinished()
        } onGracefulShutdown: {
            runner.stop()
        }
        runner.hub.close()
        // Streams that take what is written to them close at once; the others are not waited for.
        for _ in 0..<20 where runner.hub.hasListeners {
            try? await Task.sleep(for: .milliseconds(50))
        }
        runner.hub.dropListeners()
    }
}
