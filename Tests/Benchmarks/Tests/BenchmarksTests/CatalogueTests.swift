import Testing

@testable import benchmarks

@Suite struct CatalogueTests {
    @Test(arguments: [Sizes.full, .quick])
    func everySeriesIsMeasuredOnce(sizes: Sizes) {
        let series = Self.series(sizes)
        #expect(Set(series).count == series.count)
    }

    @Test(arguments: [Sizes.full, .quick])
    func everyBoundIsOnSeriesThatAreMeasured(sizes: Sizes) {
        let measured = Set(Self.series(sizes))
        for bound in CostBounds.all(sizes) {
            #expect(measured.contains(bound.subject), "\(bound.work)")
            guard let reference = bound.reference else { continue }
            #expect(measured.contains(reference), "\(bound.work)")
        }
    }

    @Test(arguments: [Sizes.full, .quick])
    func everyBaselineIsAVariant(sizes: Sizes) {
        for workload in Catalogue(sizes: sizes).workloads {
            #expect(workload.variants.contains { $0.name == workload.baseline }, "\(workload.name)")
        }
    }

    @Test func boundsOnTasksHaveFiveRoundsOfAHundredThousand() {
        let names = [FanOut.name, SequentialSteps.name]
        for workload in Catalogue(sizes: .full).workloads
        where names.contains(workload.name) && workload.size == 100_000 {
            #expect(workload.rounds >= 5)
        }
        #expect(Sizes.full.tasks == 100_000)
    }

    private static func series(_ sizes: Sizes) -> [Series] {
        Catalogue(sizes: sizes).workloads
            .flatMap { workload in
                workload.variants.flatMap { variant in
                    variant.figures.map { workload.series(variant.name, $0) }
                }
            }
    }
}
