import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The bars of a picture, as an XML reader finds them.
struct SVGBars {
    struct Malformed: Error {
        let line: Int
    }

    /// The tooltips of the bars.
    let tips: [String]

    init(parsing svg: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = reader
        guard parser.parse() else { throw Malformed(line: parser.lineNumber) }
        tips = reader.tips
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var tips: [String] = []
        private var isInTitle = false

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            if name == "rect" { tips.append("") }
            isInTitle = name == "title"
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if isInTitle, !tips.isEmpty { tips[tips.count - 1] += text }
        }

        func parser(
            _ parser: XMLParser,
            didEndElement name: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            isInTitle = false
        }
    }
}
