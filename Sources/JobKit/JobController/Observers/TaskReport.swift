/// Tells the observers of a job what becomes of one of its tasks.
///
/// Nothing here is called for a job without observers.
struct TaskReport {
    let record: TaskRecord

    init(_ record: TaskRecord) { self.record = record }

    /// Tells that the task is tracked, before anything else can be told of it.
    func tellTracked(_ news: TaskNews) {
        news.tell(.tracked, at: .now)
        ObserverWalk.passOn(news.entries, to: [news.task], isComplete: true)
        ended()
    }

    /// Tells of the start of the task, unless the job no longer waits for it.
    func tellStarted() { tell(.started) }

    /// Tells of the finish of the task, unless the job no longer waits for it.
    func tellFinished() { tell(.finished) }

    private func tell(_ kind: JobEvent.Kind) {
        let time = EventTime.now
        // Not returned by `send`, which would copy all of it.
        var news: TaskNews?
        record.shell.send { news = $0.eventBegan(kind, of: record, at: time) }
        guard news != nil else { return }
        news?.tell(kind, at: time)
        ended()
    }

    /// Tells that the callbacks of the task have returned, if its finish was told.
    func tellDelivered() {
        guard record.endIsTold else { return }
        var news: TaskNews?
        record.shell.send { news = $0.deliveryIsTold(of: record) }
        news?.tell(.delivered, at: .now)
    }

    /// Tells that the job waits for the task no longer; the code that decided it began the telling.
    func tellDropped(_ news: TaskNews?) {
        tellDropped(news) { ended() }
    }

    /// Does what could not be done while an observer was being told of the task.
    func ended() {
        switch record.change({ $0.end() }) {
        case .none:
            break
        case .leaveEnds:
            leaveEnded { ended() }
        case .settle:
            record.shell.settle(record)
            record.shell.deliverElsewhere()
            record.shell.endIfGivenUp()
        }
    }

    /// Tells those that left meanwhile that the task is dropped, and lets what waits for it go on.
    private func leaveEnded(then body: @escaping @Sendable () -> Void) {
        let (news, leaves) = record.shell.send { $0.leaveEnded(of: record) }
        // A job may have been given its observers only after those of the job above had left.
        tellDropped(news) {
            for leave in leaves { leave.step() }
            body()
        }
    }

    /// Tells that the task is dropped and, before that, all tasks of a job that is dropped.
    private func tellDropped(_ news: TaskNews?, then body: @escaping @Sendable () -> Void) {
        guard let news, !news.entries.isEmpty else { return body() }
        guard let job = news.task as? JobController else {
            news.tell(.dropped, at: .now)
            return body()
        }
        DroppedJob.leave(job, news.entries, droppedBy: record) {
            news.tell(.dropped, at: .now)
            body()
        }
    }
}
