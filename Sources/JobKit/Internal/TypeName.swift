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
