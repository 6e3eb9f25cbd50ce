/// Draws cost against n on logarithmic axes, with a panel for each workload of several sizes.
struct CostPlot: Sendable {
    private static let panelSize = (width: 420.0, height: 270.0)
    private static let columns = 2
    private static let caption =
        "time per task against the number of tasks: medians, with bars from quartile to quartile"
    private static let curves = [
        (name: VariantName.jobOnTaskQueue, color: "#0b6bcb"),
        (name: VariantName.taskQueue, color: "#0b6bcb"),
        (name: VariantName.operationQueue, color: "#c8500a"),
        (name: VariantName.taskGroup, color: "#6b7280"),
    ]

    private let panels: [CostPanel]

    /// Selects the observations of workloads that have several sizes.
    init(workloads: [Workload], observations: Observations) {
        let chains = DependencyChain.Order.allCases.map { DependencyChain.name($0) }
        panels = ([FanOut.name, SequentialSteps.name] + chains)
            .compactMap { name in
                let sizes = workloads.filter { $0.name == name }.sorted { $0.size < $1.size }
                let curves = Self.curves.compactMap { curve in
                    Self.curve(curve.name, curve.color, of: sizes, in: observations)
                }
                return curves.isEmpty ? nil : CostPanel(title: name, curves: curves)
            }
    }

    /// The drawing.
    var svg: String {
        let (width, height) = Self.panelSize
        let rows = (panels.count + Self.columns - 1) / Self.columns
        let whole = (width: Int(width) * Self.columns, height: Int(height) * rows + 28)
        let drawn = panels.enumerated()
            .map { index, panel in
                let column = Double(index % Self.columns)
                let row = Double(index / Self.columns)
                return SVGElement.group(
                    movedBy: (width * column, height * row),
                    panel.svg(width: width, height: height)
                )
            }
        let caption = SVGElement.text(
            Self.caption,
            at: (Double(whole.width) / 2, Double(whole.height) - 9),
            anchor: "middle"
        )
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(whole.width) \(whole.height)" \
            width="\(whole.width)" height="\(whole.height)" \
            font-family="Helvetica, Arial, sans-serif" font-size="12">
            <title>Cost of one task against the number of tasks</title>
            <rect width="\(whole.width)" height="\(whole.height)" fill="white"/>
            \(drawn.joined())\(caption)</svg>

            """
    }

    private static func curve(
        _ name: String,
        _ color: String,
        of workloads: [Workload],
        in observations: Observations
    ) -> Curve? {
        let points = workloads.compactMap { workload in
            observations.summary(of: workload.series(name, .cost)).map { (workload.size, $0) }
        }
        return points.isEmpty ? nil : Curve(name: name, color: color, points: points)
    }
}
