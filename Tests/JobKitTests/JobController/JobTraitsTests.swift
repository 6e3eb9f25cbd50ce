import Testing

@testable import JobKit

@Suite struct JobTraitsTests {
    @Test func traitIsNewOnce() {
        let traits = JobTraits()
        #expect(traits.contains(.progress) == false)
        #expect(traits.insert(.progress) == true)
        #expect(traits.insert(.progress) == false)
        #expect(traits.insert(.observed) == true)
        #expect(traits.contains(.progress) == true)
        #expect(traits.contains(.observed) == true)
        #expect(traits.contains(.context) == false)
        #expect(traits.contains(.groupWidths) == false)
    }
}
