extension Duration {
    /// The sum, or the longest or shortest duration where it does not fit.
    func adding(_ other: Duration) -> Duration {
        let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? sum : other < .zero ? .min : .max)
    }

    /// The difference, or the longest or shortest duration where it does not fit.
    func subtracting(_ other: Duration) -> Duration {
        let (difference, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? difference : other < .zero ? .max : .min)
    }
}
