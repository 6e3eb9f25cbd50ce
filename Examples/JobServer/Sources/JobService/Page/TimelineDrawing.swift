import Hummingbird
import JobKit

/// A timeline's picture as a separate document with a strict policy for its own style.
enum TimelineDrawing {
    /// The colors of the picture in dark mode.
    static let darkStyle = """
        @media (prefers-color-scheme:dark){svg{background:#161b21}text{fill:#aab4c0}
        .title{fill:#e8edf2}.tick{fill:#8b97a4}.dark{fill:#dfe5ec}.grid{stroke:#2b333d}
        rect:hover{stroke:#fff}.job{fill:#222b36;stroke:#3b4856}
        .job.failed{fill:#43262a;stroke:#8d4a4e}.cancelled{fill:#4a525c;stroke:#77818c}
        .job.cancelled{fill:#272d34}.running{stroke:#aab4c0}.path{stroke:#f2f2f2}}
        """

    /// Splits a picture into the content of its style element and the text around it.
    static func parts(of svg: String) -> (before: Substring, style: Substring, after: Substring) {
        guard let start = svg.firstRange(of: "<style>"), let end = svg.firstRange(of: "</style>")
        else { return (svg[...], "", "") }
        return (
            svg[..<start.lowerBound], svg[start.upperBound..<end.lowerBound],
            svg[end.upperBound...]
        )
    }

    /// Answers with a picture.
    ///
    /// The policy of the answer permits only the picture's style.
    static func response(_ svg: String) -> Response {
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        let (before, style, after) = parts(of: svg)
        let picture =
            before + "<style nonce=\"\(nonce)\">" + style + darkStyle + "</style>" + after
        return Reply.text(
            String(picture),
            type: "image/svg+xml; charset=utf-8",
            policy: Reply.dataPolicy + "; style-src 'nonce-\(nonce)'"
        )
    }
}
