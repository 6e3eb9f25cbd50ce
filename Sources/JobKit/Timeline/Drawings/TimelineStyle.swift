/// The colours and lettering of a timeline's picture.
enum TimelineStyle {
    /// The number of groups with their own colours.
    ///
    /// The other groups share one colour.
    static let colourCount = 6

    /// The style sheet.
    ///
    /// The colours of groups are dark enough for white letters, and distinct for colour-blind
    /// readers. None of them is red, because red marks a failure.
    static let sheet = """
        <style>
        svg{background:#fff;font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif}
        text{font-size:11px;fill:#4a5563;white-space:pre;pointer-events:none}
        .title{font-size:16px;font-weight:600;fill:#17202b}.facts{font-size:12px}
        .tick{font-size:10px;fill:#7a8593}.end{text-anchor:end}
        .light{fill:#fff}.dark{fill:#2a3440}
        .grid{stroke:#e3e7ec;fill:none}
        rect{rx:1.5px}rect:hover{stroke:#000;stroke-width:1.5}
        .t0{fill:#3b6ea8}.t1{fill:#b0660c}.t2{fill:#19807a}.t3{fill:#7b54a3}
        .t4{fill:#5f7d1f}.t5{fill:#8a5a44}.t6{fill:#6b7785}
        .job{fill:#e9eef5;stroke:#c3cedb;stroke-width:.8}
        .failed{fill:#c62828}.job.failed{fill:#fbe4e4;stroke:#dd8f8f}
        .cancelled{fill:#d3d8de;stroke:#8c96a1;stroke-width:.6}.job.cancelled{fill:#f1f2f4}
        .running{fill-opacity:.35;stroke:#3b4652;stroke-width:.8;stroke-dasharray:3 2}
        .path{fill:none;stroke:#111;stroke-width:2}
        @media (prefers-color-scheme:dark){
        svg{background:#14181d}text{fill:#a9b4c0}.title{fill:#eef2f6}.tick{fill:#7f8b98}
        .light{fill:#fff}.dark{fill:#d5dde6}.grid{stroke:#2a323b}rect:hover{stroke:#fff}
        .job{fill:#1f2833;stroke:#3a4858}.job.failed{fill:#43252a;stroke:#9c4a4a}
        .cancelled{fill:#3a424c;stroke:#6b7785}.job.cancelled{fill:#242a31}
        .running{stroke:#a9b4c0}.path{stroke:#f2f5f8}
        }
        </style>

        """

    /// Writes a text element.
    static func text(_ text: String, x: Double, y: Double, style: String) -> String {
        "<text class=\"\(style)\" x=\"\(x.text(decimals: 1))\" "
            + "y=\"\(y.text(decimals: 1))\">\(text.xmlText)</text>\n"
    }
}
