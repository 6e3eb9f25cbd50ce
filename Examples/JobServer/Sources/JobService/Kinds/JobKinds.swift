import JobStore

/// The kinds of job that a server runs, by name.
struct JobKinds: Sendable {
    let all: [RegisteredKind]
    private let byName: [Name: RegisteredKind]

    /// Registers kinds.
    ///
    /// Two kinds with one name are a programming error and trap.
    init(_ kinds: [any JobKind]) {
        all = kinds.map { RegisteredKind($0) }
        byName = Dictionary(all.map { (Name($0.name), $0) }) { first, _ in
            preconditionFailure("Two kinds of job are called \(first.name)")
        }
    }

    subscript(name: String) -> RegisteredKind? { byName[Name(name)] }

    /// The kinds that permit repeating a run after a crash.
    var resumable: Set<String> { Set(all.filter(\.runsAgainAfterCrash).map(\.name)) }
}
