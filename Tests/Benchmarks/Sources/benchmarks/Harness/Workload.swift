/// One piece of work of one size, with the ways to do it that are measured side by side.
struct Workload: Sendable {
    /// The name in the tables.
    let name: String
    /// How many tasks, or round trips, one round has.
    let size: Int
    /// The variant that the others are compared with.
    let baseline: String
    /// How many rounds are measured, unless others are asked for: more where they are short.
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

    /// Names the readings of one figure of one variant.
    func series(_ variant: String, _ figure: Figure) -> Series {
        Series(workload: name, size: size, variant: variant, figure: figure)
    }
}
