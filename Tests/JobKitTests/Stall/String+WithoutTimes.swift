import Foundation

extension String {
    /// The text of `explainStall` without durations, which a test cannot predict.
    var withoutTimes: String {
        replacingOccurrences(of: " for [0-9]+ (s|min|h)\\b", with: "", options: .regularExpression)
    }
}
