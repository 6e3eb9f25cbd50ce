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
