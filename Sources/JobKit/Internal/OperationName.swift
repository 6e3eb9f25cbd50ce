import Foundation

/// The name of an operation in messages and events, converted to text only when it is read.
struct OperationName: Sendable {
    /// The name that the user has set.
    let given: String?
    let type: Operation.Type

    /// The operation's name, or the name of its type if it has none.
    var text: String {
        if let given, !given.isEmpty { return given }
        return typeName
    }

    var typeName: String { Self.ofType(type) }

    // MARK: Lists

    /// The largest number of names in a list.
    static let limit = 10

    /// The first names, joined, and the number of further operations.
    ///
    /// - Parameters:
    ///   - operations: All operations, or at least the first ten.
    ///   - count: How many there are in total. Nil if `operations` has all of them.
    ///   - name: Returns the name of an operation.
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

    // MARK: Names of types

    /// Cached, because the runtime takes thousands of instructions to make a name.
    private static let typeNames = Guarded<[ObjectIdentifier: String]>([:])

    /// Returns `String(describing:)` of a type.
    static func ofType(_ type: Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let name = typeNames.withLock({ $0[id] }) { return name }
        let name = String(describing: type)
        typeNames.withLock { $0[id] = name }
        return name
    }
}

extension OperationName {
    init(of operation: Operation) {
        self.init(given: operation.name, type: Swift.type(of: operation))
    }
}

/// The name of an operation in messages and events, or the name of its type if it has none.
package func operationLabel(_ operation: Operation) -> String {
    OperationName(of: operation).text
}
