import Foundation

/// The tables in `Results.md`, on the page *Performance* and in the README.
enum DocumentTable: String, CaseIterable {
    case bounds
    case comparisons
    case realWork = "real work"
    case watching
    case scaling
    case summary

    /// Returns the table of the measured values.
    func table(_ observations: Observations, _ sizes: Sizes, _ scaling: ScalingModel) -> Table {
        switch self {
        case .bounds: BoundTable.table(of: CostBounds.all(sizes), in: observations)
        case .comparisons: Comparison.table(sizes, in: observations)
        case .realWork: Self.realWork(observations)
        case .watching: Self.watching(observations, sizes)
        case .scaling: scaling.table
        case .summary: Self.summary(observations, sizes)
        }
    }

    /// Writes all tables and the plot to the documents of a repository.
    static func write(
        into repository: URL,
        _ observations: Observations,
        _ sizes: Sizes,
        _ scaling: ScalingModel
    ) throws {
        let catalogue = "Sources/JobKit/JobKit.docc/"
        var unwritten = Set(allCases)
        for path in ["Tests/Benchmarks/Results.md", catalogue + "Performance.md", "README.md"] {
            let file = repository.appending(path: path)
            var document = MarkedDocument(text: try String(contentsOf: file, encoding: .utf8))
            for table in allCases
            where document.replace(
                table.rawValue,
                with: table.table(observations, sizes, scaling)
            ) {
                unwritten.remove(table)
            }
            try document.text.write(to: file, atomically: true, encoding: .utf8)
        }
        for table in unwritten { print("no document has marks for: \(table.rawValue)") }
        let plot = CostPlot(
            workloads: Catalogue(sizes: sizes).workloads,
            observations: observations
        )
        try plot.svg.write(
            to: repository.appending(path: catalogue + "costs-against-n.svg"),
            atomically: true,
            encoding: .utf8
        )
    }

    private static func realWork(_ observations: Observations) -> Table {
        var table = Table(
            title: "Beyond the work on all cores",
            header: ["each task works", "JobKit", "`OperationQueue`", "ideal"]
        )
        table.rows = RealWork.lengths.map { length in
            let workload = RealWork.workload(microseconds: length)
            return ["\(NumberText.grouped(length)) µs"]
                + workload.variants.map { variant in
                    let series = workload.series(variant.name, .overhead)
                    let summary = observations.summary(of: series)
                    return summary.map { NumberText.fixed($0.median * 100, places: 0) + " %" }
                        ?? "–"
                }
        }
        return table
    }

    private static func watching(_ observations: Observations, _ sizes: Sizes) -> Table {
        let workloads = [
            Observing.fanOut(size: sizes.observed),
            Observing.sequentialSteps(size: sizes.observed),
        ]
        var table = Table(
            title: "Processor time against a job that nobody watches",
            header: ["who watches", "fan-out", "sequential steps"]
        )
        table.rows = Watch.allCases.map { watch in
            [watch.rawValue]
                + workloads.map { workload in
                    ratio(
                        workload.series(watch.rawValue, .processor),
                        workload.series(Watch.nobody.rawValue, .processor),
                        observations
                    )
                }
        }
        return table
    }

    private static func summary(_ observations: Observations, _ sizes: Sizes) -> Table {
        let workloads = [
            FanOut.workload(size: sizes.tasks, all: true),
            SequentialSteps.workload(size: sizes.tasks, all: true),
        ]
        var table = Table(
            title: "Time per task, JobKit ÷ the other",
            header: ["against", "fan-out, a closure each", "sequential steps"]
        )
        let others = [
            ("`OperationQueue`", VariantName.operationQueue),
            ("`withTaskGroup`", VariantName.taskGroup),
            ("bare operations started by hand, no queue", VariantName.floor),
        ]
        table.rows = others.map { title, other in
            [title]
                + workloads.map { workload in
                    ratio(
                        workload.series(VariantName.jobOnTaskQueue, .cost),
                        workload.series(other, .cost),
                        observations
                    )
                }
        }
        return table
    }

    private static func ratio(
        _ subject: Series,
        _ reference: Series,
        _ observations: Observations
    ) -> String {
        observations.ratio(of: subject, to: reference)
            .map { NumberText.fixed($0.median, places: 2) + " ×" } ?? "–"
    }
}
