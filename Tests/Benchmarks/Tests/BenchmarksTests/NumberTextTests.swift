import Testing

@testable import benchmarks

@Suite struct NumberTextTests {
    @Test(arguments: [
        (0.0, "0"), (999.4, "999"), (999.5, "1,000"), (12_345, "12,345"), (1_000_000, "1,000,000"),
        (-1_234, "-1,234"), (-0.2, "0"),
    ])
    func digitsAreGroupedInThrees(value: Double, text: String) {
        #expect(NumberText.grouped(value) == text)
    }

    @Test func figuresAreWrittenInTheirUnits() {
        #expect(Figure.cost.text(2_345.6) == "2,346 ns")
        #expect(Figure.p99.text(12_340) == "12.3 µs")
        #expect(Figure.overhead.text(0.123) == "12.3 %")
        #expect(Figure.growth.text(1_048_576) == "1.00 MiB")
    }
}
