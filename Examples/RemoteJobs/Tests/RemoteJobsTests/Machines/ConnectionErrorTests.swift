import AMQP
import Testing

@testable import RemoteJobs

@Suite struct ConnectionErrorTests {
    private func closed(_ code: UInt16, _ text: String = "") -> ConnectionError {
        .channelClosed(ClosingReason(code: code, text: text))
    }

    @Test func aQueueWhoseNodeIsDownIsNotMissing() {
        let down = "NOT_FOUND - home node 'r1@localhost' of durable queue 'q' in vhost '/' is down"
        #expect(closed(404, "NOT_FOUND - no queue 'q' in vhost '/'").isMissing)
        #expect(!closed(404, down).isMissing)
        #expect(!closed(406).isMissing)
    }

    @Test func aUserWithoutTheRightIsRefusedAsOneWithoutThePassword() {
        #expect(closed(403).isRefusal)
        #expect(ConnectionError.refused(ClosingReason(code: 403, text: "")).isRefusal)
        #expect([404, 405, 406, 504, 541].allSatisfy { !closed($0).isRefusal })
    }

    @Test func onlyALockedQueueIsLocked() {
        #expect(closed(405).isLocked)
        #expect([403, 404, 406].allSatisfy { !closed($0).isLocked })
    }
}
