import Testing

@testable import benchmarks

@Suite struct MarkedDocumentTests {
    private let table = Table(title: "Costs", header: ["work", "cost"], rows: [["steps", "2"]])
    private let text = """
        before
        <!-- measured: costs -->
        | old |
        <!-- end of costs -->
        after
        """

    @Test func tableStandsBetweenItsMarks() {
        var document = MarkedDocument(text: text)
        let isReplaced = document.replace("costs", with: table)
        #expect(isReplaced)
        let replaced = """
            before
            <!-- measured: costs -->

            | work | cost |
            | --- | --: |
            | steps | 2 |

            <!-- end of costs -->
            after
            """
        #expect(document.text == replaced)
        let isReplacedAgain = document.replace("costs", with: table)
        #expect(isReplacedAgain)
        #expect(document.text == replaced)
    }

    @Test func documentWithoutTheMarksStays() {
        var document = MarkedDocument(text: text)
        let isReplaced = document.replace("others", with: table)
        #expect(!isReplaced)
        #expect(document.text == text)
    }
}
