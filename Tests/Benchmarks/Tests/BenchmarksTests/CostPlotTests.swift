import Foundation
import Testing

@testable import benchmarks

@Suite struct CostPlotTests {
    @Test func axisReachesAroundTheValuesFromTickToTick() {
        let scale = LogarithmicScale(around: [150, 9_000], from: 0, to: 100)
        #expect(scale.ticks == [100, 1_000, 10_000])
        #expect(scale.position(of: 100) == 0)
        #expect(scale.position(of: 1_000) == 50)
        #expect(scale.position(of: 10_000) == 100)
    }

    @Test func axisWithStepsWithinADecadeIsNoLongerThanItMust() {
        let scale = LogarithmicScale(around: [250, 900], steps: [1, 2, 5], from: 0, to: 100)
        #expect(scale.ticks == [200, 500, 1_000])
    }

    @Test func axisAroundOneValueHasALength() {
        let scale = LogarithmicScale(around: [1_000], from: 0, to: 100)
        #expect(scale.ticks == [1_000, 10_000])
        #expect(scale.position(of: 1_000) == 0)
    }

    @Test func plotHasACurveForEachVariantWithPoints() {
        let small = FanOut.workload(size: 1_000, all: false)
        let large = FanOut.workload(size: 10_000, all: false)
        var observations = Observations()
        for workload in [small, large] {
            for name in [VariantName.jobOnTaskQueue, VariantName.operationQueue] {
                observations.record(2_000, in: workload.series(name, .cost))
            }
        }
        let svg = CostPlot(workloads: [small, large], observations: observations).svg
        #expect(svg.components(separatedBy: "<polyline").count - 1 == 2)
        #expect(svg.components(separatedBy: "<circle").count - 1 == 4)
    }
}
