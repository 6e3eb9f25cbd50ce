import Testing

@testable import benchmarks

@Suite struct RoundsTests {
    @Test func eachRoundRunsEveryVariantOnceAndBeginsWithAnother() {
        let log = Log<String>()
        let workload = Self.workload(of: ["a", "b", "c"]) { name, _ in
            log.append(name)
        }
        var observations = Observations()
        Rounds(count: 3).measure(workload, into: &observations)
        let warmUp = ["a", "b", "c"]
        #expect(log.entries == warmUp + ["a", "b", "c", "b", "c", "a", "c", "a", "b"])
    }

    @Test func warmUpIsSmallAndNotRecorded() {
        let sizes = Log<Int>()
        let workload = Self.workload(of: ["a"]) { _, size in sizes.append(size) }
        var observations = Observations()
        Rounds(count: 2).measure(workload, into: &observations)
        #expect(sizes.entries == [500, 10_000, 10_000])
        #expect(observations.summary(of: workload.series("a", .cost))?.count == 2)
    }

    @Test func oneRoundGoesWithoutWarmUp() {
        let sizes = Log<Int>()
        let workload = Self.workload(of: ["a"]) { _, size in sizes.append(size) }
        var observations = Observations()
        Rounds(count: 1).measure(workload, into: &observations)
        #expect(sizes.entries == [10_000])
    }

    private static func workload(
        of names: [String],
        run: @escaping @Sendable (_ name: String, _ size: Int) -> Void
    ) -> Workload {
        Workload(
            "work",
            size: 10_000,
            variants: names.map { name in
                Variant(name: name, figures: [.cost]) { size in
                    run(name, size)
                    return [Reading(figure: .cost, value: 1)]
                }
            }
        )
    }
}
