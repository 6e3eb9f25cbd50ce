import Testing

@testable import benchmarks

@Suite struct TableTests {
    private let table = Table(
        title: "Costs",
        header: ["work", "measured"],
        rows: [["fan-out", "0.25 ×"], ["steps", "10.50 ×"]]
    )

    @Test func textAlignsTheFirstColumnLeftAndTheOthersRight() {
        #expect(
            table.text == """
                Costs
                ─────────────────
                work     measured
                ─────────────────
                fan-out    0.25 ×
                steps     10.50 ×

                """
        )
    }

    @Test func markdownHasARowForEachRow() {
        #expect(
            table.markdown == """
                **Costs**

                | work | measured |
                | --- | --: |
                | fan-out | 0.25 × |
                | steps | 10.50 × |

                """
        )
    }

    @Test func boundTableShowsMeasuredLimitsAndVerdict() {
        let table = BoundTable.table(
            of: [SampleBounds.limited, SampleBounds.unlimited],
            in: SampleBounds.observations(subject: 40)
        )
        let spread = "0.40 × … 0.40 ×"
        #expect(
            table.rows == [
                ["limited", "0.40 ×", spread, "0.50 ×", "0.25 ×", "holds"],
                ["unlimited", "0.40 ×", spread, "–", "–", "to compare"],
            ]
        )
    }

    @Test func summaryNamesWhatIsBroken() {
        let bounds = [SampleBounds.limited, SampleBounds.unlimited]
        let observations = SampleBounds.observations(subject: 60)
        #expect(
            BoundTable.summary(of: bounds, in: observations) == """
                bounds that hold: 0 of 1 – broken or not measured: limited
                aims reached: 0 of 1 – not reached: limited

                """
        )
    }

    @Test func summaryOfWhatHoldsNamesNothing() {
        let bounds = [SampleBounds.limited, SampleBounds.unlimited]
        let observations = SampleBounds.observations(subject: 20)
        #expect(
            BoundTable.summary(of: bounds, in: observations) == """
                bounds that hold: 1 of 1
                aims reached: 1 of 1

                """
        )
    }
}
