/// A decoding container for the members of an object.
struct KeyedParameters<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func decoder(_ key: Key) throws -> ParameterDecoder {
        let path = codingPath + [key]
        guard let value = members[key.stringValue] else {
            let name = path.first?.stringValue
            throw InvalidParameter(name, "\(name ?? "A value") is missing.")
        }
        return ParameterDecoder(value: value, codingPath: path)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        members[key.stringValue] == .null || members[key.stringValue] == nil
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = try decoder(key)
        // If a required value is `null`, it counts as missing.
        if decoder.value == .null, !(type is any ExpressibleByNilLiteral.Type) {
            let name = decoder.codingPath.first?.stringValue
            throw InvalidParameter(name, "\(name ?? "A value") is missing.")
        }
        return try Value(from: decoder)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        ParameterDecoder(value: .object(members), codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}
