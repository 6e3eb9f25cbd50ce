import Foundation
import JobKit
import Synchronization
import XCTest

/// O5: another thread ends an operation at about the time of its start, in thousands of rounds.
///
/// A test cannot distinguish a thread that has entered `main()` from one that was suspended before
/// its first line. Therefore, each assertion is about calls that have returned before the starting
/// thread reads the clock between the start and `main()`, or about events that never happened in a
/// complete round.
final class OperationEndStressTests: XCTestCase {
    private static let rounds = 30_000

    func testNothingRunsBeforeMainOrAfterTheEnd() async {
        let probes = (0..<Self.rounds).map(EndProbe.init(number:))
        let turn = TurnBarrier(threads: 2)
        // A slow machine does fewer rounds.
        let limit = ContinuousClock.now + .seconds(10)
        let last = Atomic(Self.rounds)
        await runOnThreads(2) { number in
            var random = WalkGenerator(seed: UInt64(number))
            for probe in probes {
                if number == 0, ContinuousClock.now > limit, probe.number >= 9 {
                    last.store(probe.number, ordering: .releasing)
                }
                turn.wait()
                guard last.load(ordering: .acquiring) > probe.number else { break }
                if number == 0 {
                    probe.begin()
                } else {
                    probe.endFromOutside(after: Int.random(in: 0..<200, using: &random))
                }
            }
        }
        let fought = probes.prefix(last.load(ordering: .acquiring))
        for probe in fought where !probe.isFinished {
            await bounded { await probe.waitForFinish() }
        }
        for probe in fought {
            let faults = probe.faults
            guard faults.isEmpty else {
                return XCTFail("O5: round \(probe.number), \(probe.circumstance): \(faults)")
            }
        }
    }
}

// Operation forces @unchecked. All mutable state is atomic.
/// A round with an operation, which records any violation of the rule.
private final class EndProbe: ConcurrentOperation, @unchecked Sendable {
    enum Way: Int { case cancel, finish, overrun }
    enum Meeting: Int { case beforeMain, anywhere, afterMain }

    let number: Int
    private let way: Way
    private let meeting: Meeting
    private let asks = Tally()
    private let ends = Tally()
    private let mains = Tally()
    private let tellings = Tally()
    private let endsBeforeMain = Tally()
    private let tellingsBeforeMain = Tally()
    private let endsWhileTold = Tally()
    /// The starting thread, as a number.
    private let starter = Atomic(0)

    init(number: Int) {
        self.number = number
        way = Way(rawValue: number % 3) ?? .cancel
        meeting = Meeting(rawValue: number / 3 % 3) ?? .anywhere
        super.init()
        clock = AskedClock { [unowned self] in clockAsked() }
        maximumRuntime = .seconds(1_000)
    }

    var circumstance: String { "\(way) \(meeting)" }

    private static var thread: Int { Int(bitPattern: ObjectIdentifier(Thread.current)) }

    /// Starts the operation.
    func begin() {
        starter.store(Self.thread, ordering: .releasing)
        start()
    }

    /// Ends the operation at the round's meeting point, or after the given number of polls.
    func endFromOutside(after looks: Int) {
        switch meeting {
        case .beforeMain: while asks.count == 0 { giveWay() }
        case .anywhere: for _ in 0..<looks { _ = isFinished }
        case .afterMain: while mains.count == 0 { giveWay() }
        }
        switch way {
        case .cancel: cancel()
        case .finish: finish()
        case .overrun:
            maximumRuntime = .zero
            // The timeout comes on another thread. It would be too late if main() waited for it.
            while !isCancelled { giveWay() }
        }
        ends.add()
    }

    /// The starting thread reads the clock between the start and `main()`.
    private func clockAsked() {
        guard starter.load(ordering: .acquiring) == Self.thread else { return }
        asks.add()
        if meeting == .beforeMain { while ends.count == 0 { giveWay() } }
        if ends.count > 0 { endsBeforeMain.add() }
        if tellings.count > 0 { tellingsBeforeMain.add() }
    }

    override func main() { mains.add() }

    override func didCancel() {
        tellings.add()
        if isFinished { endsWhileTold.add() }
        finish()
        if isFinished { endsWhileTold.add() }
    }

    /// The violations that can be determined once the operation has finished.
    var faults: [String] {
        var faults: [String] = []
        func expect(_ condition: Bool, _ fault: String) { if !condition { faults.append(fault) } }
        expect(mains.count <= 1 && tellings.count <= 1, "main() or didCancel() twice")
        expect(tellings.count <= mains.count, "didCancel() without main()")
        expect(tellingsBeforeMain.count == 0, "didCancel() before main()")
        expect(endsWhileTold.count == 0, "the end while didCancel() runs")
        expect(endsBeforeMain.count + mains.count <= 1, "main() after the end")
        switch meeting {
        case .beforeMain: expect(endsBeforeMain.count == 1, "the clock was not asked")
        case .anywhere: break
        case .afterMain:
            expect(
                tellings.count == (way == .finish ? 0 : 1),
                "didCancel() \(tellings.count) times"
            )
        }
        return faults
    }
}
