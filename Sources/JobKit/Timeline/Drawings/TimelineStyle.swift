/// The colours and lettering of a timeline's picture.
enum TimelineStyle {
    /// The number of groups with their own colours.
    ///
    /// The other groups share one colour.
    static let colourCount = 6

    /// Colours that are dark enough for white letters, and distinct for colour-blind readers.
    ///
    /// None of them is red, because red marks a failure.
    private static let colours = [
        "#3b6ea8", "#b0660c", "#19807a", "#7b54a3", "#5f7d1f", "#8a5a44", "#6b7785",
    ]

    static var sheet: String {
        let groups = colours.enumerated().map { ".t\($0){fill:\($1)}" }.joined()
        return """
            <style>
            svg{background:#fff;font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif}
            text{font-size:11px;fill:#4a5563;white-space:pre;pointer-events:none}
            .title{font-size:16px;font-weight:600;fill:#17202b}.facts{font-size:12px}
            .tick{font-size:10px;fill:#7a8593}.end{text-anchor:end}
            .light{fill:#fff}.dark{fill:#2a3440}
            .grid{stroke:#e3e7ec;fill:none}
            rect{rx:1.5px}rect:hover{stroke:#000;stroke-width:1.5}
            \(groups)
            .job{fill:#e9eef5;stroke:#c3cedb;stroke-width:.8}
            .failed{fill:#c62828}.job.failed{fill:#fbe4e4;stroke:#dd8f8f}
            .cancelled{fill:#d3d8de;stroke:#8c96a1;stroke-width:.6}.job.cancelled{fill:#f1f2f4}
            .running{fill-opacity:.35;stroke:#3b4652;stroke-width:.8;stroke-dasharray:3 2}
            .path{fill:none;stroke:#111;stroke-width:2}.hop{fill:none;stroke:#111;stroke-width:.7}
            .own{fill:none;stroke:#111;stroke-width:2;stroke-dasharray:2 3}
            @media (prefers-color-scheme:dark){
            svg{background:#14181d}text{fill:#a9b4c0}.title{fill:#eef2f6}.tick{fill:#7f8b98}
            .light{fill:#fff}.dark{fill:#d5dde6}.grid{stroke:#2a323b}rect:hover{stroke:#fff}
            .job{fill:#1f2833;stroke:#3a4858}.job.failed{fill:#43252a;stroke:#9c4a4a}
            .cancelled{fill:#3a424c;stroke:#6b7785}.job.cancelled{fill:#242a31}
            .running{stroke:#a9b4c0}.path,.hop,.own{stroke:#f2f5f8}
            }
            </style>

            """
    }

    /// Writes a text element, shortened to a width in points.
    ///
    /// Empty if fewer than three letters fit.
    static func text(
        _ text: String,
        x: Double,
        y: Double,
        style: String,
        width: Double = .infinity
    ) -> String {
        // The title is larger and bold.
        let size = style == "title" ? 1.65 : 1
        guard let fitting = shortened(text, to: width / size) else { return "" }
        return "<text class=\"\(style)\" x=\"\(x.text(decimals: 1))\" "
            + "y=\"\(y.text(decimals: 1))\">\(fitting.xmlText)</text>\n"
    }

    /// Returns the approximate width of a text at 11 points.
    ///
    /// The result is too large rather than too small.
    static func width(of text: String) -> Double {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns the text, or its beginning and end, because both distinguish names.
    ///
    /// Nil if too little fits.
    private static func shortened(_ text: String, to width: Double) -> String? {
        var (total, used) = (0.0, Self.width(of: "…"))
        var (head, tail) = (text.startIndex, text.endIndex)
        var letters = 0
        for index in text.indices {
            total += Self.width(of: text[index])
            guard total > width else { continue }
            while head < tail {
                let takesHead = letters.isMultiple(of: 2)
                let next = takesHead ? head : text.index(before: tail)
                used += Self.width(of: text[next])
                guard used <= width else { break }
                letters += 1
                if takesHead { head = text.index(after: head) } else { tail = next }
            }
            return letters >= 5 ? text[..<head] + "…" + text[tail...] : nil
        }
        return text
    }

    private static func width(of character: Character) -> Double {
        guard let value = character.unicodeScalars.first?.value else { return 0 }
        switch character {
        case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", " ": return 3.4
        case "f", "r", "t", "(", ")", "[", "]", "-", "/", "\"": return 4.4
        case "m", "w", "M", "W", "@", "%", "…": return 10.4
        case "A"..."Z", "&", "#", "+", "=", "<", ">": return 8.2
        default: return value < 0x1100 ? 6.8 : 13
        }
    }
}
