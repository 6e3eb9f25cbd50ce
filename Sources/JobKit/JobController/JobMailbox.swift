import Synchronization

/// Mail from any thread for one job, without a lock: a finish never waits for the job.
///
/// > Source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986; all
/// > is taken at once, so that a node never comes back while somebody looks at it.
struct JobMailbox: ~Copyable, Sendable {
    private let newest = Atomic<Unmanaged<JobMail>?>(nil)

    var isEmpty: Bool { newest.load(ordering: .acquiring) == nil }

    func put(_ mail: JobMail) {
        let node = Unmanaged.passRetained(mail)
        var head = newest.load(ordering: .relaxed)
        while true {
            mail.next = head
            let (exchanged, original) = newest.weakCompareExchange(
                expected: head,
                desired: node,
                successOrdering: .releasing,
                failureOrdering: .relaxed
            )
            if exchanged { return }
            head = original
        }
    }

    /// Takes everything, the oldest first.
    func takeAll(_ body: (JobMail) -> Void) {
        guard var node = newest.exchange(nil, ordering: .acquiring) else { return }
        var reversed: Unmanaged<JobMail>?
        while true {
            let mail = node.takeUnretainedValue()
            let following = mail.next
            mail.next = reversed
            reversed = node
            guard let following else { break }
            node = following
        }
        while let node = reversed {
            let mail = node.takeRetainedValue()
            reversed = mail.next
            mail.next = nil
            body(mail)
        }
    }

    deinit {
        takeAll { _ in }
    }
}
