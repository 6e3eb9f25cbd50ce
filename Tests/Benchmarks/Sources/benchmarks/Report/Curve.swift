/// The cost of one variant at several sizes.
struct Curve: Sendable {
    /// The variant's name.
    let name: String
    /// The color, as a CSS name.
    let color: String
    /// The median and spread of the cost, in ascending order of size.
    let points: [(size: Int, cost: Summary)]
}
