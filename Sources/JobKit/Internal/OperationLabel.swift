import Foundation

/// What messages and events call an operation: its name, or its type's where it has none.
func operationLabel(_ operation: Operation) -> String {
    if let name = operation.name, !name.isEmpty { return name }
    return String(describing: type(of: operation))
}
