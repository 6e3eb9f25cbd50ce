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
                    // A lost publication is in doubt. The ledger handles it when the connection
                    // ends.
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

    /// Pauses publishing for a while and then uses another channel.
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

    /// Declares a route's queues and then publishes its tasks.
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
                    // Written before the first task, so that a later removal of the job finds the
                    // route.
                    loop.write(Envelope.mark(.route, route.text), ByteBuffer())
                    loop.ledger.routeDeclared(route)
                    loop.announce()
                    loop.schedulePump()
                }
            }
    }

    /// Forgets the declarations of the previous connection.
    func connectionChanged() {
        declaringRoutes = []
        refusedRoutes = []
        queuedNotes = []
    }

    /// Collects tasks that the broker has confirmed, to record many of them together.
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

    /// Writes notes about many tasks into the job's stream.
    func writeNotes(_ kind: Envelope.Kind, _ tasks: [Ledger.Record.Task]) {
        for note in SizeLimit.notes(tasks, key: \.key) {
            write(Envelope.mark(kind, life), Envelope.body(of: note))
        }
    }
}
