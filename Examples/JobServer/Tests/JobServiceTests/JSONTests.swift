import Testing

@testable import JobService

@Suite struct JSONTests {
    @Test(arguments: [
        ("null", JSONValue.null),
        (
            " [1, -2.5,\n\"\\u00e9\\ud83d\\ude00\\n\"] ",
            .array([.integer(1), .number(-2.5), .string("é😀\n")])
        ),
        (
            "{\"a\":{},\"b\":[true,false]}",
            .object(["a": .object([:]), "b": .array([.bool(true), .bool(false)])])
        ),
        ("3.0", .integer(3)), ("1e30", .number(1e30)), ("9223372036854775807", .integer(.max)),
        ("9223372036854775808", .number(0x1p63)), ("\"a:,]\\\\\"", .string("a:,]\\")),
        (
            "[{\"a\":1},{\"a\":2}]",
            .array([.object(["a": .integer(1)]), .object(["a": .integer(2)])])
        ),
    ])
    func valuesAreRead(text: String, value: JSONValue) throws {
        #expect(try JSONParser.value(of: Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{a:1}", "01", "1.", "+1", "1e", "tru", "\"\n\"", "\"\\x\"",
        "\"\\ud800\"", "\"", "1 2", "[1}", "NaN", "'a'", "{\"a\":1,}", "\u{FEFF}1",
        "1e400", "[[1 , ]]", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
        "[{\"a\":{\"b\":1,\"b\":1}}]",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(throws: JSONParser.Problem.self) { try JSONParser.value(of: Array(text.utf8)) }
    }

    @Test func depthAndBytesAreLimited() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONParser.Problem.self) { try JSONParser.value(of: Array(deep.utf8)) }
        for depth in [64, 65] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(((try? JSONParser.value(of: Array(text.utf8))) != nil) == (depth == 64))
        }
        #expect(throws: JSONParser.Problem.self) { try JSONParser.value(of: [0x22, 0xFF, 0x22]) }
        // Foundation's decoder would also accept UTF-16.
        #expect(throws: JSONParser.Problem.self) { try JSONParser.value(of: [0x31, 0x00]) }
    }

    @Test(arguments: ["\"\u{0}\u{1F}\\\"/é😀\"", "[1,2.5,null,true,{\"a\":\"b\"}]"])
    func whatIsWrittenIsReadAsTheSame(text: String) throws {
        let bytes = Array(text.utf8)
        guard let value = try? JSONParser.value(of: bytes) else {
            let written = JSONText.quoted(text)
            #expect(try JSONParser.value(of: Array(written.utf8)) == .string(text))
            return
        }
        #expect(try JSONParser.value(of: Array(value.json.utf8)) == value)
    }

    private struct Sample: Codable, Sendable, Equatable {
        var count: Int
        var small: Int8?
        var names: [String]?
        var ratio: Double?
        var flag: Bool?
    }

    private func decode(_ text: String) throws -> Sample {
        let value = try JSONParser.value(of: Array(text.utf8))
        return try ParameterDecoder.decode(Sample.self, from: value)
    }

    @Test func parametersAreDecoded() throws {
        let text = "{\"count\":3,\"small\":-128,\"names\":[\"a\"],\"ratio\":2,\"flag\":null}"
        let sample = Sample(count: 3, small: -128, names: ["a"], ratio: 2, flag: nil)
        #expect(try decode(text) == sample)
    }

    @Test(arguments: [
        ("{}", "count"), ("{\"count\":null}", "count"), ("{\"count\":1.5}", "count"),
        ("{\"count\":-0.5}", "count"), ("{\"count\":1e30}", "count"),
        ("{\"count\":\"3\"}", "count"),
        ("{\"count\":[]}", "count"), ("{\"count\":true}", "count"),
        ("{\"count\":1,\"small\":128}", "small"), ("{\"count\":1,\"names\":[1]}", "names"),
        ("{\"count\":1,\"names\":\"a\"}", "names"), ("{\"count\":1,\"flag\":0}", "flag"),
    ])
    func whatIsWrongIsNamed(text: String, field: String) throws {
        #expect { try decode(text) } throws: { ($0 as? InvalidParameter)?.field == field }
    }
}
