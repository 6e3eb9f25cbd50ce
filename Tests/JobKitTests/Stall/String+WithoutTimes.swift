import Foundation

extension String {
    /// Lines of `explainStall` without how long something has lasted, which a test cannot know.
    var withoutTimes: String {
        replacingOccurrences(of: " for [0-9]+ (s|min|h)\\b", with: "", options: .regularExpression)
    }
}
