import Testing

@testable import JobKit

@Suite struct DrainTokenTests {
    @Test func firstRequestAcquiresTheToken() {
        let token = DrainToken()
        #expect(token.isFree == true)
        #expect(token.acquire() == true)
        #expect(token.acquire() == false)
        #expect(token.isFree == false)
    }

    @Test func tokenIsReleasedWhenAllRequestsWereSeen() {
        let token = DrainToken()
        #expect(token.acquire() == true)
        #expect(token.acquire() == false)
        #expect(token.release(token.pending) == true)
        #expect(token.isFree == true)
        #expect(token.acquire() == true)
    }

    @Test func tokenIsKeptWhenARequestCameAfterTheCheck() {
        let token = DrainToken()
        #expect(token.acquire() == true)
        let pending = token.pending
        #expect(token.acquire() == false)
        #expect(token.release(pending) == false)
        #expect(token.isFree == false)
        #expect(token.release(token.pending) == true)
    }

    @Test func tokenThatIsCreatedAcquiredIsReleasedByItsOwner() {
        let token = DrainToken(isAcquired: true)
        #expect(token.acquire() == false)
        token.release()
        #expect(token.isFree == true)
        #expect(token.acquire() == true)
    }

    @Test func everyRequestOfManyThreadsIsDoneByOneAtATime() async {
        let token = DrainTokenBox()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { token.addRequest() } }
            }
        }
        #expect(token.done == 8_000)
        #expect(token.token.isFree == true)
    }
}

/// Counts completed requests without a lock, because only one thread at a time has the token.
private final class DrainTokenBox: Sendable {
    let token = DrainToken()
    private let work = Guarded(0)
    nonisolated(unsafe) private(set) var done = 0

    func addRequest() {
        work.withLock { $0 += 1 }
        guard token.acquire() else { return }
        var pending = token.pending
        while true {
            done += work.withLock { work in
                defer { work = 0 }
                return work
            }
            if token.release(pending) { return }
            pending = token.pending
        }
    }
}
