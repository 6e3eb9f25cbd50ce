import AMQP
import NIOCore

extension SessionLoop {
    /// How long no task is published after the broker has refused one.
    private static let refusalPause = Duration.seconds(1)

    /// Publishes a task.
    func publish(_ publication: Ledger.Publication, on link: Link) {
        let (name, id) = (publication.name, publication.id)
        let generation = generation
        let properties = Envelope.task(
            job: job,
            route: publication.route,
            key: name.key,
            id: id,
            digest: publication.digest,
            limit: min(Int(Layout.suspectLimit), max(0, options.deliveryLimit)),
            priority: min(9, max(0, options.priority))
        )
        let outNumber = link.outNumber
        link.out.publish(
            to: Layout.tasks,
            key: Layout.key(publication.route, job: job),
            properties,
            publication.entry.body
        ) { [weak self] outcome in
            self?
                .assumeIsolated { loop in
                    // A lost one is in doubt, which the ledger knows from the connection's end.
                    guard outcome != .lost, loop.generation == generation else { return }
                    if outcome == .refused, let link = loop.link, link.outNumber == outNumber {
                        loop.refused(on: link)
                    }
                    let isConfirmed = outcome == .confirmed
                    loop.carryOut(
                        loop.ledger.publishingAnswered(name, id, isConfirmed: isConfirmed)
                    )
                }
        }
    }

    /// Publishes no task until a while has passed, and then by another channel.
    private func refused(on link: Link) {
        guard !link.isRefused else { return }
        link.isRefused = true
        let generation = generation
        after(SessionLoop.refusalPause) { loop in
            guard loop.generation == generation, let link = loop.link else { return }
            link.renewOut()
            loop.carryOut(loop.refusedRoutes.sorted().map { .declare(route: $0) })
            loop.refusedRoutes = []
        }
    }

    /// Declares a route's queues; its tasks are published then.
    func declare(_ route: Name) {
        if link?.isRefused == true {
            refusedRoutes.insert(route)
            return
        }
        guard let link, declaringRoutes.insert(route).inserted else { return }
        let generation = generation
        Layout.declareRoute(route, of: job, on: link.out)
            .whenComplete { result in
                self.assumeIsolated { loop in
                    guard loop.generation == generation else { return }
                    loop.declaringRoutes.remove(route)
                    guard case .success = result else { return }
                    // Before the first task, so that whoever removes the job knows where to look.
                    loop.write(Envelope.mark(.route, route.text), ByteBuffer())
                    loop.ledger.routeDeclared(route)
                    loop.announce()
                    loop.schedulePump()
                }
            }
    }

    /// Forgets what was under way on a connection.
    func connectionChanged() {
        declaringRoutes = []
        refusedRoutes = []
        queuedNotes = []
    }

    /// Notes that the broker has a task; many notes go together.
    func noteQueued(_ task: Ledger.Record.Task) {
        queuedNotes.append(task)
        guard queuedNotes.count == 1 else {
            if queuedNotes.count >= 1_000 { writeQueuedNotes() }
            return
        }
        after(.milliseconds(2)) { $0.writeQueuedNotes() }
    }

    private func writeQueuedNotes() {
        guard !queuedNotes.isEmpty else { return }
        let notes = queuedNotes
        queuedNotes = []
        writeNotes(.queued, notes)
    }

    /// Writes about many tasks into the job's stream.
    func writeNotes(_ kind: Envelope.Kind, _ tasks: [Ledger.Record.Task]) {
        for note in SizeLimit.notes(tasks, key: \.key) {
            write(Envelope.mark(kind, life), Envelope.body(of: note))
        }
    }
}
