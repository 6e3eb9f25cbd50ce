/// Decides about the runs of one chain: a run and those that repeat it.
///
/// A failed run is followed by its next attempt, an interrupted one by the run that resumes it, and any of
/// them by a repetition that a person requests. All of them continue one journal, so one of them at most
/// has not ended. A run that follows another one takes over its key, if the server itself has queued it,
/// and its place in its schedule. A repetition of a run that has succeeded begins a chain of its own.
package struct RunChainStateMachine: Sendable {
    /// Why a run follows another one.
    package enum Reason: Sendable, CaseIterable {
        /// The next attempt of a run that has failed.
        case attempt
        /// The run that continues one which ended with its process.
        case resumption
        /// A person has asked for it.
        case repetition
    }

    /// What becomes of a request to follow a run.
    package enum FollowAction: Sendable, Equatable {
        /// Queue the run. It continues the journal, if there is one, and takes the key over or not.
        case queue(journalID: Int64?, takesKey: Bool)
        /// The run has not ended.
        case refuseUnfinished
        /// Another run of the chain has not ended, which is this one.
        case refuseFollower(Int64)
        /// There is no such run.
        case refuseUnknown
    }

    /// What becomes of a request to delete a run.
    package enum DeletionAction: Sendable, Equatable {
        /// Delete the run, and the journal with the last run of the chain.
        case delete(removesJournal: Bool)
        case refuseUnfinished
        case refuseUnknown
    }

    /// A run of the chain.
    package struct Member: Sendable, Hashable {
        package let id: Int64
        package var state: RunState

        package init(id: Int64, state: RunState) {
            self.id = id
            self.state = state
        }
    }

    /// The number of the first run, by which the journal is known.
    package let journalID: Int64
    /// The runs that are kept, the oldest first.
    package private(set) var members: [Member]

    package init(journalID: Int64, members: [Member]) {
        self.journalID = journalID
        self.members = members.sorted { $0.id < $1.id }
    }

    /// The run of the chain that has not ended; nil if all have.
    package var unfinished: Int64? { members.first { !$0.state.isEnd }?.id }

    /// Decides whether a run may follow another one.
    package func followRequested(_ id: Int64, _ reason: Reason) -> FollowAction {
        guard let member = members.first(where: { $0.id == id }) else { return .refuseUnknown }
        guard member.state.isEnd else { return .refuseUnfinished }
        // Its journal is gone, and nothing is left to continue.
        if member.state == .succeeded { return .queue(journalID: nil, takesKey: false) }
        if let unfinished { return .refuseFollower(unfinished) }
        return .queue(journalID: journalID, takesKey: reason != .repetition)
    }

    /// Decides whether a run may be deleted.
    package func deletionRequested(_ id: Int64) -> DeletionAction {
        guard let member = members.first(where: { $0.id == id }) else { return .refuseUnknown }
        guard member.state.isEnd else { return .refuseUnfinished }
        return .delete(removesJournal: members.count == 1)
    }

    /// A run of the chain was queued.
    package mutating func followed(by id: Int64) {
        members.append(Member(id: id, state: .queued))
    }

    /// A run has another state.
    package mutating func changed(_ id: Int64, to state: RunState) {
        guard let place = members.firstIndex(where: { $0.id == id }) else { return }
        members[place].state = state
    }

    /// A run was deleted.
    package mutating func deleted(_ id: Int64) {
        members.removeAll { $0.id == id }
    }
}
