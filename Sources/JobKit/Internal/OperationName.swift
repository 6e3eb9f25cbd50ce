import Foundation

/// What messages and events call an operation, made into text when that is asked for.
struct OperationName: Sendable {
    /// The name that the user gave it.
    let given: String?
    let type: Operation.Type

    /// The operation's name, or its type's where it has none.
    var text: String {
        if let given, !given.isEmpty { return given }
        return typeName
    }

    var typeName: String { TypeName.of(type) }
}

extension OperationName {
    init(of operation: Operation) {
        self.init(given: operation.name, type: Swift.type(of: operation))
    }
}

/// What messages and events call an operation: its name, or its type's where it has none.
func operationLabel(_ operation: Operation) -> String {
    OperationName(of: operation).text
}

/// The first names of many operations.
enum OperationNames {
    /// How many are listed at most.
    static let limit = 10

    /// The first names, joined, and how many more there are.
    ///
    /// - Parameters:
    ///   - operations: All, or at least the first ten.
    ///   - count: How many there are; nil: as many as `operations`.
    ///   - name: What an operation is called.
    /// - Returns: `a, b and 3 more`.
    static func list(
        _ operations: [Operation],
        of count: Int? = nil,
        name: (Operation) -> String = operationLabel
    ) -> String {
        let names = operations.prefix(limit).map(name).joined(separator: ", ")
        let further = max(count ?? 0, operations.count) - min(operations.count, limit)
        return further > 0 ? "\(names) and \(further) more" : names
    }
}

/// The names of types, each made once: the runtime takes thousands of instructions to make one.
enum TypeName {
    private static let names = Guarded<[ObjectIdentifier: String]>([:])

    /// What `String(describing:)` says of a type.
    static func of(_ type: Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let name = names.withLock({ $0[id] }) { return name }
        let name = String(describing: type)
        names.withLock { $0[id] = name }
        return name
    }
}
