import Testing

@testable import JobKit

@Suite struct DictionaryTests {
    @Test func dictionaryThatWasLargeFreesItsMemory() {
        var dictionary = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, $0) })
        for key in 0..<9_900 { #expect(dictionary.removeCompactly(key) == key) }
        #expect(dictionary.removeCompactly(0) == nil)
        #expect(dictionary.count == 100)
        #expect(dictionary.capacity < 2_000)
        #expect(dictionary[9_999] == 9_999)
    }
}
