/// One measured value of one round.
struct Reading: Sendable {
    /// The measured quantity.
    let figure: Figure
    /// The value, in the figure's recorded unit.
    let value: Double
}
