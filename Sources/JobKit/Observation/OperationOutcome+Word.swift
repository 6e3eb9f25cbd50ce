extension OperationOutcome {
    /// One word for the outcome.
    var word: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
