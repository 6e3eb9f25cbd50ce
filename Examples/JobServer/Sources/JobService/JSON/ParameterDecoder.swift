/// Decodes parameters from JSON values.
///
/// Errors name the parameter.
struct ParameterDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Decodes parameters.
    ///
    /// - Throws: ``InvalidParameter`` with the name of the first missing or invalid parameter.
    static func decode<Parameters: Decodable>(
        _ type: Parameters.Type,
        from value: JSONValue
    ) throws(InvalidParameter) -> Parameters {
        do {
            return try Parameters(from: ParameterDecoder(value: value, codingPath: []))
        } catch let error as InvalidParameter {
            throw error
        } catch let error as DecodingError {
            throw InvalidParameter(error)
        } catch {
            throw InvalidParameter(nil, "\(error)")
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw mismatch("an object") }
        return KeyedDecodingContainer(KeyedParameters(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch("a list") }
        return UnkeyedParameters(values: values, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ what: String) -> InvalidParameter {
        let name = codingPath.first?.stringValue
        return InvalidParameter(name, "\(name ?? "The value") must be \(what).")
    }
}

extension ParameterDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch("true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch("a text") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        default: throw mismatch("a number")
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard case .integer(let value) = value, let integer = Integer(exactly: value) else {
            throw mismatch("a whole number")
        }
        return integer
    }
}
