import Foundation
import JobKit
import Testing

@testable import RemoteJobs

@Suite struct NameTests {
    /// Different texts that Swift or C considers equal.
    private static let twins: [(String, String)] = [
        ("/d/\u{E9}", "/d/e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"),
        ("a\u{0}b", "a\u{0}c"),
        ("\u{1100}\u{1161}", "\u{AC00}"),
    ]

    @Test func namesAreComparedByBytes() throws {
        for (a, b) in Self.twins {
            let (a, b) = (Name(a), Name(b))
            #expect(a != b)
            #expect(a == Name(a.text))
            #expect(a.hashValue == Name(a.text).hashValue)
            #expect((a < b) != (b < a))
            #expect(Set([a, b, a]).count == 2)
            #expect(
                Layout.tasks("w", of: a).utf8.elementsEqual(Layout.tasks("w", of: b).utf8) == false
            )
            #expect(
                try JSONDecoder().decode([Name].self, from: JSONEncoder().encode([a, b])) == [a, b]
            )
        }
        #expect(Name("ab") < Name("b") && Name("a") < Name("ab"))
    }

    @Test func validNameHasBytesAndNoNUL() {
        #expect(Name("").isValid == false)
        #expect(Name("a\u{0}").isValid == false)
        #expect(Name(String(repeating: "é", count: 50)).isValid)
        #expect(Name(String(repeating: "é", count: 51)).isValid == false)
    }

    @Test func ledgerTellsTasksApartWhoseKeysLookTheSame() {
        var ledger = JobLedger<String, String>(life: "me")
        _ = ledger.opened()
        ledger.routeDeclared("r")
        for (a, b) in Self.twins.prefix(3) {
            for key in [a, b] {
                #expect(ledger.submitted(key, key: Name(key), route: "r", digest: 1).isEmpty)
            }
        }
        #expect(
            (0..<6).map { _ in ledger.nextToPublish() != nil } == Array(repeating: true, count: 6)
        )
    }

    @Test func turnsAreOfJobsWhoseNamesLookTheSame() {
        var turns = Turns<Int>()
        for number in 0..<3 { turns.append(number, of: "jo\u{301}b", priority: 0) }
        turns.append(9, of: "j\u{F3}b", priority: 0)
        #expect([turns.next(), turns.next()] == [0, 9])
    }
}
