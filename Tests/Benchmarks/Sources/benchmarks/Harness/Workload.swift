/// Work of one size, with the variants that are measured together.
struct Workload: Sendable {
    /// The name in the tables.
    let name: String
    /// The number of tasks or round trips in a round.
    let size: Int
    /// The variant with which the others are compared.
    let baseline: String
    /// The default number of rounds, which is higher for short rounds.
    let rounds: Int
    /// The ways to do the work.
    let variants: [Variant]

    /// Describes a workload.
    init(
        _ name: String,
        size: Int,
        baseline: String = VariantName.operationQueue,
        rounds: Int = 5,
        variants: [Variant]
    ) {
        self.name = name
        self.size = size
        self.baseline = baseline
        self.rounds = rounds
        self.variants = variants
    }

    /// Returns the series of one figure of one variant.
    func series(_ variant: String, _ figure: Figure) -> Series {
        Series(workload: name, size: size, variant: variant, figure: figure)
    }
}
