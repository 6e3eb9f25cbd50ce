/// A decoding container for the values of a list.
struct UnkeyedParameters: UnkeyedDecodingContainer {
    private struct Index: CodingKey {
        let place: Int

        init(place: Int) { self.place = place }
        init?(intValue: Int) { place = intValue }
        init?(stringValue: String) { nil }
        var intValue: Int? { place }
        var stringValue: String { "\(place)" }
    }

    let values: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [JSONValue], codingPath: [any CodingKey]) {
        self.values = values
        self.codingPath = codingPath
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    private mutating func decoder() throws -> ParameterDecoder {
        guard !isAtEnd else {
            throw InvalidParameter(codingPath.first?.stringValue, "The list is too short.")
        }
        defer { currentIndex += 1 }
        let path = codingPath + [Index(place: currentIndex)]
        return ParameterDecoder(value: values[currentIndex], codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, values[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: decoder())
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try decoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try decoder() }
}
