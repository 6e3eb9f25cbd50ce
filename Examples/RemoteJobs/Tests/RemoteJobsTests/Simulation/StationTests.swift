import Foundation
import Testing

@testable import benchmarks

/// Compares stations with the results of queueing theory.
@Suite struct StationTests {
    private struct Item {
        let arrival: Double
        var process = 0
        let service: Double
    }

    private static let count = 60_000
    private static let seed: UInt64 = 7

    /// Serves all items.
    ///
    /// The station is empty before and after.
    private func serve(
        _ items: [Item],
        cores: Int
    ) -> (log: StationLog, ends: [(item: Int, time: Double)]) {
        enum Event {
            case arrival(Int)
            case end(Station<Int>.Start)
        }
        var station = Station<Int>(cores: cores)
        var line = EventLine<Event>()
        for (number, item) in items.enumerated() { line.add(.arrival(number), at: item.arrival) }
        var ends: [(item: Int, time: Double)] = []
        while let (time, event) = line.takeFirst() {
            let start: Station<Int>.Start?
            switch event {
            case .arrival(let number):
                let item = items[number]
                start = station.arrived(
                    number,
                    of: item.process,
                    service: item.service,
                    at: time
                )
            case .end(let ended):
                ends.append((item: ended.work, time: time))
                start = station.ended(ended.process, at: time)
            }
            if let start { line.add(.end(start), at: start.end) }
        }
        return (station.log, ends)
    }

    /// Items that arrive at random, `rate` per second.
    private func randomItems(
        _ rate: Double,
        drawsService: Bool = false,
        ownProcesses: Bool = false
    ) -> [Item] {
        var random = SplitMix64(seed: Self.seed)
        func draw() -> Double { -log(1 - Double.random(in: 0..<1, using: &random)) }
        var time = 0.0
        return (0..<Self.count)
            .map { number in
                time += draw() / rate
                return Item(
                    arrival: time,
                    process: ownProcesses ? number : 0,
                    service: drawsService ? draw() : 1
                )
            }
    }

    /// Poisson arrivals, constant service of 1: the wait is ρ ÷ 2(1 − ρ) (Pollaczek and Khinchine).
    @Test(arguments: [0.3, 0.5, 0.8]) func waitsAsMD1(_ load: Double) {
        let log = serve(randomItems(load), cores: 1).log
        let expected = load / (2 * (1 - load))
        #expect(abs(mean(log.waits) / expected - 1) < 0.05, "seed \(Self.seed)")
        #expect(abs(log.utilisation / load - 1) < 0.02)
    }

    /// Poisson arrivals, exponential service of mean 1: the wait is ρ ÷ (1 − ρ).
    @Test(arguments: [0.3, 0.5]) func waitsAsMM1(_ load: Double) {
        let log = serve(randomItems(load, drawsService: true), cores: 1).log
        #expect(abs(mean(log.waits) / (load / (1 - load)) - 1) < 0.06, "seed \(Self.seed)")
    }

    /// The same with two cores and a load of one: a third of the items wait, the mean is 1/3
    /// (Erlang C).
    @Test func waitsAsMM2() {
        let items = randomItems(1, drawsService: true, ownProcesses: true)
        let log = serve(items, cores: 2).log
        #expect(abs(mean(log.waits) * 3 - 1) < 0.06, "seed \(Self.seed)")
        let share = Double(log.waits.count { $0 > 0 }) / Double(log.waits.count)
        #expect(abs(share * 3 - 1) < 0.03)
    }

    /// The number of present items, integrated over time, is the sum of their times (Little).
    @Test func countsAsLittleSays() {
        let items = randomItems(0.9, drawsService: true)
        let (log, ends) = serve(items, cores: 1)
        let spent = ends.reduce(0) { $0 + $1.time - items[$1.item].arrival }
        #expect(abs(log.presentSeconds / spent - 1) < 1e-9)
        let work = items.reduce(0) { $0 + $1.service }
        #expect(abs(log.busySeconds / work - 1) < 1e-9)
        #expect(log.count == Self.count && log.present == 0)
    }

    @Test func whatComesInStepWaitsForNothing() {
        let items = (0..<1_000).map { Item(arrival: Double($0), service: 1) }
        let log = serve(items, cores: 1).log
        #expect(log.waits.allSatisfy { $0 == 0 })
    }

    @Test func aProcessUsesOneCoreHoweverManyThereAre() {
        let items = (0..<10).map { _ in Item(arrival: 0, service: 1) }
        let (log, ends) = serve(items, cores: 4)
        #expect(ends.last?.time == 10)
        #expect(log.utilisation == 0.25)
        let own = (0..<8).map { Item(arrival: 0, process: $0, service: 1) }
        #expect(serve(own, cores: 4).ends.last?.time == 2)
    }

    @Test func processesTakeTurns() {
        let items =
            (0..<3).map { _ in Item(arrival: 0, process: 1, service: 1) }
            + (0..<2).map { _ in Item(arrival: 0, process: 2, service: 1) }
        #expect(serve(items, cores: 1).ends.map(\.item) == [0, 3, 1, 4, 2])
    }

    @Test func aCountLeavesOutWhatWasBefore() {
        var station = Station<Int>(cores: 1)
        _ = station.arrived(0, of: 0, service: 4, at: 0)
        _ = station.arrived(1, of: 0, service: 1, at: 0)
        station.beginCount(at: 2)
        #expect(station.ended(0, at: 4)?.work == 1)
        _ = station.ended(0, at: 5)
        station.endCount(at: 10)
        let log = station.log
        #expect(log.seconds == 8 && log.busySeconds == 3 && log.presentSeconds == 5)
        #expect(log.count == 1 && log.waits == [4])
    }

    @Test func eventsComeInTheOrderOfTheirTimesAndThenOfTheirAdding() {
        var line = EventLine<Int>()
        var random = SplitMix64(seed: Self.seed)
        let times = (0..<1_000).map { _ in Double(Int.random(in: 0..<50, using: &random)) }
        for (number, time) in times.enumerated() { line.add(number, at: time) }
        var taken: [Int] = []
        while let (time, number) = line.takeFirst() {
            #expect(time == times[number])
            taken.append(number)
        }
        #expect(taken == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
    }

    @Test func meansAndPercentiles() {
        #expect(mean([]) == 0 && mean([1, 3]) == 2)
        let hundred = (1...100).map(Double.init)
        #expect(percentile(99, of: hundred) == 99 && percentile(100, of: hundred) == 100)
        #expect(percentile(50, of: [1, 2, 3]) == 2 && percentile(1, of: [5]) == 5)
        #expect(percentile(99, of: []) == 0)
    }
}
