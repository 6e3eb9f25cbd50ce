/// Identifies one publication of a task by the controller run and a number in that run.
///
/// Workers identify a task by this ID and not by its key. Therefore, a task runs again if its job
/// was removed and repeated.
package struct PublicationID: Hashable, Sendable {
    let life: String
    let number: Int

    /// Creates an ID from its two parts.
    package init(life: String, number: Int) {
        self.life = life
        self.number = number
    }

    /// Parses the form of ``text``.
    ///
    /// Returns nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 100, let dot = text.lastIndex(of: "."), dot > text.startIndex,
            let number = UInt32(text[text.index(after: dot)...])
        else { return nil }
        self.init(life: String(text[..<dot]), number: Int(number))
    }

    var text: String { "\(life).\(number)" }

    /// Creates a unique name for a controller run or a worker: 12 letters and digits.
    package static func newLife() -> String {
        let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<12).map { _ in characters[Int.random(in: 0..<characters.count)] })
    }
}
