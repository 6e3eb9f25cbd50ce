import Testing

@testable import JobJournal

/// S8: a torn tail is cut, and everything else is damage.
@Suite struct RecoveryTests {
    private func sample(isSynced: Bool) -> JournalBytes {
        var file = JournalBytes(isSynced: isSynced)
        file.record(["a"], outcome: "1")
        file.begin("b")
        file.record(["b", "c"], outcome: "{\"text\":\"two\"}")
        file.record(["d"], outcome: "3", in: "scope")
        file.restart(isSynced: isSynced)
        file.record(["a"], outcome: "4", version: 2)
        file.begin("e")
        return file
    }

    @Test(arguments: [false, true])
    func aWholeFileIsReadAsItWasWritten(isSynced: Bool) throws {
        let file = sample(isSynced: isSynced)
        let found = try file.recovered()
        #expect(found.file.end == file.size)
        #expect(found.index.count == 4)
        #expect(found.index.begun == [JournalBytes.digest("e")])
        #expect(found.file.session?.isSynced == isSynced)
        let scope = JournalBytes.fileKey.digest(.scope, StepPath().appending("scope").bytes)
        #expect(found.index.count(in: scope) == 1)
        #expect(file.bytes.count % 512 == 0 || !isSynced)
    }

    @Test(arguments: [false, true])
    func fileCutAnywhereLosesOnlyTheCutRecords(isSynced: Bool) throws {
        let file = sample(isSynced: isSynced)
        for size in 0..<file.size {
            let found = try file.cut(size).recovered(isSynced: isSynced)
            let whole = file.ends.filter { $0 <= size }.count
            #expect(found.index.count == min(whole, 4))
            #expect(found.file.end <= size)
        }
    }

    @Test(arguments: [false, true])
    func everyFlippedBitIsFound(isSynced: Bool) {
        let file = sample(isSynced: isSynced)
        for at in 0..<file.size {
            for bit in 0..<8 {
                let flipped = file.changed { $0[at] ^= 1 << bit }
                do {
                    _ = try flipped.recovered(isSynced: isSynced)
                    Issue.record("bit \(bit) of byte \(at) was not found")
                } catch let damage as Damage {
                    #expect(damage.offset <= at)
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func aFrameThatIsMissingDoubledOrExchangedIsDamage(isSynced: Bool) throws {
        let file = sample(isSynced: isSynced)
        for (start, end) in zip(file.writes.dropFirst(), file.writes.dropFirst(2) + [file.size]) {
            let record = file.bytes[start..<end]
            for changed in [
                file.changed { $0.removeSubrange(start..<end) },
                file.changed { $0.insert(contentsOf: record, at: end) },
                file.changed { $0 += record },
            ] where changed.size > file.size || end < file.size {
                #expect(throws: Damage.self) { try changed.recovered(isSynced: isSynced) }
            }
        }
        let (first, second) = (file.ends[1] - (file.ends[2] - file.ends[1]), file.ends[1])
        let exchanged = file.changed { bytes in
            for at in 0..<file.ends[2] - second { bytes.swapAt(first + at, second + at) }
        }
        #expect(throws: Damage.self) { try exchanged.recovered(isSynced: isSynced) }
    }

    @Test func zerosInTheMiddleAreDamage() throws {
        for isSynced in [false, true] {
            let file = sample(isSynced: isSynced)
            let lastWrite = file.writes[file.writes.count - 1]
            for start in stride(from: 0, to: lastWrite - 40, by: 16) {
                let end = min(start + (isSynced ? 512 : 40), lastWrite)
                let zeros = file.changed { bytes in
                    for at in start..<end { bytes[at] = 0 }
                }
                #expect(throws: Damage.self) { try zeros.recovered(isSynced: isSynced) }
            }
        }
    }

    @Test func aMissingSectorOfTheLastWriteIsTornWhereWritesAreSynced() throws {
        for isSynced in [false, true] {
            var file = JournalBytes(isSynced: isSynced)
            file.record(["a"], outcome: "1")
            let start = file.size
            let keys = (0..<40).map { "key \($0)" }
            file.record(keys, outcome: "{\"text\":\"long enough for several sectors\"}")
            let first = (start + 511) / 512 * 512
            for sector in stride(from: first, through: file.size - 512, by: 512) {
                let zeros = file.changed { bytes in
                    for at in sector..<sector + 512 { bytes[at] = 0 }
                }
                guard isSynced else {
                    #expect(throws: Damage.self) { try zeros.recovered() }
                    continue
                }
                let found = try zeros.recovered()
                #expect(found.file.end <= sector)
                #expect(found.index.count >= 1)
                #expect(found.index.count == file.ends.filter { $0 <= sector }.count)
                var later = zeros
                later.record(["z"], outcome: "1")
                #expect(throws: Damage.self) { try later.recovered() }
            }
        }
    }

    @Test func aFirstWriteThatTheDiskLostIsAnEmptyJournal() throws {
        let file = JournalBytes(isSynced: true)
        let lost = file.changed { $0 = Array(repeating: 0, count: $0.count) }
        #expect(try lost.recovered(isSynced: true).file.end == 0)
        #expect(throws: Damage.self) { try lost.recovered(isSynced: false) }
    }

    @Test func foreignFileIsDamagedAtItsBeginning() throws {
        let file = sample(isSynced: false)
        #expect(throws: Damage(offset: 0, reason: .otherJob)) {
            try file.recovered("other")
        }
        let text = file.changed { $0 = Array("id,name\n1,one\n".utf8) }
        #expect(throws: Damage(offset: 0, reason: .notAJournal)) { try text.recovered() }
        let zeros = file.changed { $0 = Array(repeating: 0, count: 100) }
        #expect(throws: Damage(offset: 0, reason: .notAJournal)) { try zeros.recovered() }
        let later = file.changed { $0[8] = 2 }
        #expect(throws: Damage(offset: 0, reason: .laterFormat)) { try later.recovered() }
        let garbage = file.changed { $0 += [1, 2, 3, 4, 5] }
        #expect(throws: Damage.self) { try garbage.recovered() }
    }
}
