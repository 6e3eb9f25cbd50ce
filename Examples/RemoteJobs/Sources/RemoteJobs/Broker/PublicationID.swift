/// What makes one publishing of a task different from any other: the controller's life, and a
/// number in it.
///
/// A worker knows a task by it, not by its key: so a job that was removed and is repeated runs.
package struct PublicationID: Hashable, Sendable {
    let life: String
    let number: Int

    /// Takes the two parts.
    package init(life: String, number: Int) {
        self.life = life
        self.number = number
    }

    /// Reads what ``text`` has made; nil of anything else.
    init?(_ text: String) {
        guard text.utf8.count <= 100, let dot = text.lastIndex(of: "."), dot > text.startIndex,
            let number = UInt32(text[text.index(after: dot)...])
        else { return nil }
        self.init(life: String(text[..<dot]), number: Int(number))
    }

    var text: String { "\(life).\(number)" }

    /// A name for a new life, or a worker: 12 letters and digits, different from any other.
    package static func newLife() -> String {
        let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<12).map { _ in characters[Int.random(in: 0..<characters.count)] })
    }
}
