/// Draws cost against n on logarithmic axes, a panel for each workload of several sizes.
struct CostPlot {
    private static let panelSize = (width: 440.0, height: 300.0)
    private static let colors = [
        VariantName.jobOnTaskQueue: "#0b6bcb",
        VariantName.operationQueue: "#c8500a",
        VariantName.taskGroup: "#6b7280",
    ]

    private let panels: [CostPanel]

    /// Draws what was measured of the workloads that have several sizes.
    init(workloads: [Workload], observations: Observations) {
        let names = [FanOut.name, SequentialSteps.name]
        panels = names.compactMap { name in
            let curves = Self.curves(workloads.filter { $0.name == name }, observations)
            return curves.isEmpty ? nil : CostPanel(title: name, curves: curves)
        }
    }

    /// The drawing.
    var svg: String {
        let width = Int(Self.panelSize.width) * max(panels.count, 1)
        let height = Int(Self.panelSize.height)
        let drawn = panels.enumerated()
            .map { index, panel in
                let x = Self.panelSize.width * Double(index)
                return "<g transform=\"translate(\(NumberText.fixed(x, places: 0)) 0)\">\n"
                    + panel.svg(width: Self.panelSize.width, height: Self.panelSize.height)
                    + "</g>\n"
            }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            width="\(width)" height="\(height)" font-family="sans-serif" font-size="12">
            <title>Cost of one task against the number of tasks</title>
            <rect width="\(width)" height="\(height)" fill="white"/>
            \(drawn.joined())</svg>

            """
    }

    private static func curves(
        _ workloads: [Workload],
        _ observations: Observations
    ) -> [Curve] {
        let names = [VariantName.jobOnTaskQueue, VariantName.operationQueue, VariantName.taskGroup]
        return names.compactMap { name in
            let points = workloads.sorted { $0.size < $1.size }
                .compactMap { workload in
                    observations.summary(of: workload.series(name, .cost))
                        .map { (workload.size, $0) }
                }
            guard !points.isEmpty else { return nil }
            return Curve(name: name, color: colors[name, default: "black"], points: points)
        }
    }
}
