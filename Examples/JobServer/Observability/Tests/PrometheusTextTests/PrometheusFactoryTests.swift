import CoreMetrics
import PrometheusText
import Testing

@Suite struct PrometheusFactoryTests {
    @Test func sameNameAndLabelsAreOneSeries() {
        let factory = PrometheusFactory()
        for order in [[("kind", "a"), ("status", "b")], [("status", "b"), ("kind", "a")]] {
            factory.makeCounter(label: "jobs_total", dimensions: order).increment(by: 2)
        }
        #expect(
            factory.text() == "# TYPE jobs_total counter\njobs_total{kind=\"a\",status=\"b\"} 4\n"
        )
    }

    @Test func namesAndLabelsAreWrittenAsTheFormatAllows() {
        let factory = PrometheusFactory()
        let labels = [("a b", "quote \" slash \\ line\nend")]
        factory.makeMeter(label: "9.lives", dimensions: labels).set(1.5)
        #expect(
            factory.text()
                == "# TYPE _9_lives gauge\n_9_lives{a_b=\"quote \\\" slash \\\\ line\\nend\"} 1.5\n"
        )
    }

    @Test func timersAreHistogramsInSeconds() {
        let factory = PrometheusFactory()
        let timer = factory.makeTimer(label: "wait", dimensions: [])
        timer.recordNanoseconds(500_000)
        timer.recordNanoseconds(2_000_000_000)
        let lines = factory.text().split(separator: "\n")
        #expect(lines.contains("wait_bucket{le=\"0.001\"} 1"))
        #expect(lines.contains("wait_bucket{le=\"1\"} 1"))
        #expect(lines.contains("wait_bucket{le=\"5\"} 2"))
        #expect(lines.contains("wait_bucket{le=\"+Inf\"} 2"))
        #expect(lines.contains("wait_sum 2.0005"))
        #expect(lines.contains("wait_count 2"))
    }

    @Test func seriesBeyondTheLimitCountAndAreNotWritten() {
        let factory = PrometheusFactory(seriesLimit: 1)
        factory.makeCounter(label: "first", dimensions: []).increment(by: 1)
        factory.makeCounter(label: "second", dimensions: []).increment(by: 1)
        #expect(factory.text() == "# TYPE first counter\nfirst 1\n")
    }

    @Test func aDestroyedSeriesIsGone() {
        let factory = PrometheusFactory()
        let counter = factory.makeCounter(label: "first", dimensions: [])
        factory.destroyCounter(counter)
        #expect(factory.text() == "")
    }

    @Test func manyThreadsLoseNoCount() async {
        let factory = PrometheusFactory()
        let meter = factory.makeMeter(label: "level", dimensions: [])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        factory.makeCounter(label: "n", dimensions: []).increment(by: 1)
                        meter.increment(by: 1)
                    }
                }
            }
        }
        #expect(factory.text().contains("\nn 8000\n"))
        #expect(factory.text().contains("level 8000\n"))
    }
}
