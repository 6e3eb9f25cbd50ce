/// The type of a family of series.
enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}

/// One line of the text, or the lines of one histogram.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the series' lines.
    ///
    /// - Parameters:
    ///   - name: The family's name.
    ///   - labels: The labels without their braces.
    /// - Returns: The lines, each with its line feed.
    func lines(name: String, labels: String) -> String
}

/// The series by family.
///
/// A name belongs to the kind that used it first.
struct MetricFamilies: Sendable {
    private struct Family {
        let kind: MetricKind
        var series: [String: any MetricSeries] = [:]
    }

    private var families: [String: Family] = [:]
    private(set) var count = 0

    /// The series with this name and these labels, if there is one.
    func series(named name: String, labels: String) -> (any MetricSeries)? {
        families[name]?.series[labels]
    }

    /// Adds a series unless its name belongs to another kind, or its labels to another series.
    mutating func add(
        _ series: any MetricSeries,
        kind: MetricKind,
        name: String,
        labels: String
    ) {
        var family = families[name] ?? Family(kind: kind)
        guard family.kind == kind, family.series[labels] == nil else { return }
        family.series[labels] = series
        families[name] = family
        count += 1
    }

    /// Removes a series.
    mutating func remove(_ series: AnyObject) {
        for (name, family) in families {
            guard let labels = family.series.first(where: { $0.value === series })?.key else {
                continue
            }
            families[name]?.series[labels] = nil
            count -= 1
            if families[name]?.series.isEmpty == true { families[name] = nil }
        }
    }

    /// All series in the text format.
    var text: String {
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text += series.lines(name: name, labels: labels)
            }
        }
        return text
    }
}
