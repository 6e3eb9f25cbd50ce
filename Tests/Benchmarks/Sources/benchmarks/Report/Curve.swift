/// The cost of one variant at several sizes.
struct Curve: Sendable {
    /// The variant's name.
    let name: String
    /// The colour, as SVG names it.
    let color: String
    /// Median and spread of the cost by size, ascending by size.
    let points: [(size: Int, cost: Summary)]
}
