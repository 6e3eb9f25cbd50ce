/// Formats and parses numbers of bytes.
package enum ByteSize {
    /// Formats a number of bytes in decimal units.
    ///
    /// - Parameter count: The number, at least 0.
    /// - Returns: For example `12.3 MB`, never rounded up.
    package static func text(_ count: Int64) -> String {
        var amount = count
        var tenths: Int64 = 0
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB", "PB"] where amount >= 1000 {
            tenths = amount % 1000 / 100
            amount /= 1000
            unit = larger
        }
        return unit == "B" ? "\(amount) B" : "\(amount).\(tenths) \(unit)"
    }

    /// Parses a number of bytes.
    ///
    /// `K`, `M`, `G` and `T`, also as `KiB` or `k`, are powers of 1024. `kB` and its like are
    /// powers of 1000.
    ///
    /// - Parameter text: Digits, optionally with a unit.
    /// - Returns: The number, or nil if the text is invalid or the number is too large.
    package static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.uppercased()
        guard !unit.isEmpty, unit != "B" else { return number }
        guard let letter = unit.first, let power = "KMGT".firstIndex(of: letter) else { return nil }
        let base: Int64? =
            switch unit.dropFirst() {
            case "", "IB": 1024
            case "B": 1000
            default: nil
            }
        guard let base else { return nil }
        var (product, isTooLarge) = (number, false)
        for _ in 0..."KMGT".distance(from: "KMGT".startIndex, to: power) where !isTooLarge {
            (product, isTooLarge) = product.multipliedReportingOverflow(by: base)
        }
        return isTooLarge ? nil : product
    }
}
