import ServiceLifecycle

/// Calls the closures that wait for ends, those of a shutdown included.
struct EndTeller: Service {
    let ends: EndListeners

    func run() async throws {
        await withGracefulShutdownHandler {
            await ends.run()
        } onGracefulShutdown: {
            // The runner has ended before: nothing more comes.
            ends.finish()
        }
    }
}
