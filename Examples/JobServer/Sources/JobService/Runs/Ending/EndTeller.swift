import ServiceLifecycle

/// Calls the closures that observe ends, including the ends of a shutdown.
struct EndTeller: Service {
    let ends: EndListeners

    func run() async throws {
        await withGracefulShutdownHandler {
            await ends.run()
        } onGracefulShutdown: {
            // The runner has already ended, so no further ends follow.
            ends.finish()
        }
    }
}
