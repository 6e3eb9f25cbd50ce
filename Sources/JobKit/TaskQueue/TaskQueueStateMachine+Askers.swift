/// Who asks below whom: a job's place that its own tasks do not want may serve a task further down.
///
/// A job hears of a job below it once, however much is asked for there, and forgets it when it has
/// looked there and found nothing: so that no look costs more than the requests that were made since,
/// were ten thousand jobs nested.
extension TaskQueueStateMachine {
    /// An entry asked this job for a loan; the jobs above may have to look here.
    mutating func becomeAsker(_ slot: Int) {
        var pending = [slot]
        while let job = pending.popLast() {
            guard !slots[job].isKnownToAsk else { continue }
            slots[job].isKnownToAsk = true
            for lender in slots[job].lenders where isCurrent(lender) {
                addAsker(job, below: lender.slot)
                pending.append(lender.slot)
            }
        }
    }

    /// A job above an asker became known late.
    mutating func tellOfAsker(_ slot: Int, _ lender: Ticket) {
        addAsker(slot, below: lender.slot)
        becomeAsker(lender.slot)
    }

    /// Takes out what somebody below a job asks for, the jobs in the order in which they first asked.
    mutating func popRequest(below slot: Int) -> Ticket? {
        var path = [slot]
        while let job = path.last {
            if path.count > 1, let borrower = popRequest(of: job) { return borrower }
            if let asker = askersBelow[job]?.first {
                if isCurrent(asker) {
                    path.append(asker.slot)
                } else {
                    removeFirstAsker(below: job)
                }
                continue
            }
            path.removeLast()
            guard let above = path.last else { break }
            slots[job].isKnownToAsk = false
            removeFirstAsker(below: above)
        }
        return nil
    }

    private mutating func addAsker(_ slot: Int, below lender: Int) {
        askersBelow[lender, default: FIFO()].append(ticket(slot))
    }

    private mutating func removeFirstAsker(below job: Int) {
        _ = askersBelow[job]?.popFirst()
        if askersBelow[job]?.isEmpty == true { askersBelow[job] = nil }
    }
}
