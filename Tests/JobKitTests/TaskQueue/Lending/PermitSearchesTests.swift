import Testing

@testable import JobKit

@Suite struct PermitSearchesTests {
    /// Two chains of jobs that have no job in common, and what is true of their marks.
    private struct Chains {
        var searches = PermitSearches()
        /// By chain, the job at the end first: what `searches` said, and whether it is still true.
        var marks = [[PermitSearches.Mark?]](repeating: [nil, nil, nil], count: 2)
        var isTrue = [[Bool]](repeating: [false, false, false], count: 2)

        /// All jobs of a chain from this one up to the first that is marked, or the end, are passed.
        mutating func search(_ chain: Int, from job: Int) {
            var passed: [Int] = []
            var end = 0
            for next in (0...job).reversed() {
                if let distance = marks[chain][next].flatMap({ searches.distance(of: $0) }) {
                    end = distance
                    break
                }
                passed.append(next)
            }
            for (index, job) in passed.enumerated() {
                marks[chain][job] = searches.mark(at: end + passed.count - index)
                isTrue[chain][job] = true
            }
        }

        /// The job could lend for a moment: nothing is known of it, and of those below it.
        mutating func change(_ chain: Int, _ job: Int) {
            if let mark = marks[chain][job] { searches.forget(mark) }
            for below in job..<3 { isTrue[chain][below] = false }
        }

        func holds(_ chain: Int, _ job: Int) -> Bool {
            marks[chain][job].flatMap { searches.distance(of: $0) } != nil
        }
    }

    /// No mark is believed that is not true, and, with one chain alone, each that is true is.
    @Test(arguments: [1, 2]) func everyOrderOfSearchesAndChangesKeepsMarksTrue(chainCount: Int) {
        func visit(_ chains: Chains, depth: Int) {
            for chain in 0..<chainCount {
                for job in 0..<3 {
                    let holds = chains.holds(chain, job)
                    if chainCount == 1 {
                        if holds != chains.isTrue[chain][job] { Issue.record("forgot a mark") }
                    } else if holds, !chains.isTrue[chain][job] {
                        Issue.record("believed a void mark")
                    }
                }
            }
            guard depth > 0 else { return }
            for chain in 0..<chainCount {
                for job in 0..<3 {
                    var searched = chains
                    searched.search(chain, from: job)
                    visit(searched, depth: depth - 1)
                    var changed = chains
                    changed.change(chain, job)
                    visit(changed, depth: depth - 1)
                }
            }
        }
        visit(Chains(), depth: chainCount == 1 ? 7 : 5)
    }

    @Test func jobThatWasNeverMarkedIsNotKnown() {
        var searches = PermitSearches()
        searches.forget(PermitSearches.Mark())
        #expect(searches.distance(of: PermitSearches.Mark()) == nil)
        #expect(searches.distance(of: searches.mark(at: 4)) == 4)
    }
}
