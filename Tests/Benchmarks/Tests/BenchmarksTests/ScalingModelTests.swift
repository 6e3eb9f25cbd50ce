import Testing

@testable import benchmarks

@Suite struct ScalingModelTests {
    private let model = ScalingModel(serial: 2, parallel: 1)

    @Test func workDividesAmongCoresUntilTheSerialPartDecides() {
        #expect(model.timePerTask(work: 97, cores: 1) == 100)
        #expect(model.timePerTask(work: 97, cores: 10) == 10)
        #expect(model.timePerTask(work: 97, cores: 100) == 2)
    }

    @Test func coresUsedNeverExceedTheCores() {
        for cores in [1, 2, 16, 64] {
            for work in stride(from: 0.0, through: 1_000, by: 50) {
                let used = model.coresUsed(work: work, cores: cores)
                #expect(used >= 0 && used <= Double(cores))
            }
        }
    }

    @Test func leastWorkKeepsAllCoresBusy() {
        let work = model.leastWork(forCores: 16)
        #expect(work == 29)
        #expect(model.timePerTask(work: work, cores: 16) == model.serial)
        #expect(model.timePerTask(work: work + 16, cores: 16) > model.serial)
        #expect(ScalingModel(serial: 1, parallel: 9).leastWork(forCores: 2) == 0)
    }
}
