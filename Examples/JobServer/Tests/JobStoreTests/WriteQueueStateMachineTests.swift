import Testing

@testable import JobStore

@Suite struct WriteQueueStateMachineTests {
    typealias Machine = WriteQueueStateMachine<String>

    @Test func whatComesWhileOneIsWrittenSharesTheNextTransaction() {
        var machine = Machine()
        #expect(machine.added("a", isKept: false) == [.write(["a"])])
        #expect(machine.added("b", isKept: true) == [])
        #expect(machine.added("c", isKept: false) == [])
        #expect(machine.written() == [.write(["b", "c"])])
        #expect(machine.written() == [])
        #expect(machine.added("d", isKept: true) == [.write(["d"])])
    }

    @Test func keptOnesWaitInOrderAndOthersAreRefusedWhileWritesFail() {
        var machine = Machine()
        _ = machine.added("end 1", isKept: true)
        _ = machine.added("new 1", isKept: false)
        _ = machine.added("end 2", isKept: true)
        #expect(
            machine.failed("full") == [
                .refuse(["new 1"], "full"), .tell(.failing("full")), .wait(1),
            ]
        )
        #expect(machine.reason == "full")
        #expect(machine.added("new 2", isKept: false) == [.refuse(["new 2"], "full")])
        #expect(machine.added("end 3", isKept: true) == [])
        #expect(machine.waited() == [.write(["end 1", "end 2", "end 3"])])
        #expect(machine.added("end 4", isKept: true) == [])
        #expect(machine.failed("locked") == [.wait(2)])
        #expect(machine.keptCount == 4)
        #expect(machine.waited() == [.write(["end 1", "end 2", "end 3", "end 4"])])
        #expect(machine.written() == [.tell(.back)])
        #expect(machine.reason == nil)
        #expect(machine.added("new 3", isKept: false) == [.write(["new 3"])])
        #expect(
            machine.failed("full") == [
                .refuse(["new 3"], "full"), .tell(.failing("full")), .wait(1),
            ]
        )
    }

    @Test func withNothingKeptATrialFindsOutWhenTheStoreIsBack() {
        var machine = Machine()
        _ = machine.added("new", isKept: false)
        _ = machine.failed("full")
        #expect(machine.waited() == [.write([])])
        #expect(machine.waited() == [])
        #expect(machine.failed("full") == [.wait(2)])
        #expect(machine.waited() == [.write([])])
        #expect(machine.written() == [.tell(.back)])
    }

    @Test func nothingIsWrittenOnceTheFileIsLost() {
        var machine = Machine()
        _ = machine.added("end", isKept: true)
        _ = machine.added("new", isKept: false)
        #expect(machine.lost("gone") == [.refuse(["end", "new"], "gone"), .tell(.lost("gone"))])
        #expect(machine.lost("gone") == [])
        #expect(machine.added("later", isKept: true) == [.refuse(["later"], "gone")])
        #expect(machine.waited() == [])
    }
}
