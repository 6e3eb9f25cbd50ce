/// One measured value of one round.
struct Reading: Sendable {
    /// What was measured.
    let figure: Figure
    /// How much, in the figure's recorded unit.
    let value: Double
}
