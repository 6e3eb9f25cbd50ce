/// Decides about a chain of runs: a run and those that repeat it.
///
/// A failed run is followed by its next attempt, and an interrupted run by the run that resumes it.
/// Any of them may be followed by a repetition that a person requests. All of them continue one
/// journal, so at most one of them is unfinished. If the server itself has queued the follower, it
/// takes over the key of the run before it. Each follower takes over the schedule. If a run has
/// succeeded, its repetition starts a new chain.
package struct RunChainStateMachine: Sendable {
    /// The reason why a run follows another one.
    package enum Reason: Sendable, CaseIterable {
        /// The next attempt of a run that has failed.
        case attempt
        /// The run that continues one that ended with its process.
        case resumption
        /// A repetition that a person has requested.
        case repetition
    }

    /// The decision about a request to follow a run.
    package enum FollowAction: Sendable, Equatable {
        /// Queue the run.
        ///
        /// It continues the journal, if there is one, and may take over the key.
        case queue(journalID: Int64?, takesKey: Bool)
        /// The run has not ended.
        case refuseUnfinished
        /// The given run of the chain has not ended.
        case refuseFollower(Int64)
        /// There is no such run.
        case refuseUnknown
    }

    /// The decision about a request to delete a run.
    package enum DeletionAction: Sendable, Equatable {
        /// Delete the run, and also the journal if it is the last run of the chain.
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

    /// The number of the first run, which identifies the journal.
    package let journalID: Int64
    /// The stored runs, oldest first.
    package private(set) var members: [Member]

    package init(journalID: Int64, members: [Member]) {
        self.journalID = journalID
        self.members = members.sorted { $0.id < $1.id }
    }

    /// The unfinished run of the chain, or nil if all have ended.
    package var unfinished: Int64? { members.first { !$0.state.isEnd }?.id }

    /// Decides whether a run may follow another one.
    package func followRequested(_ id: Int64, _ reason: Reason) -> FollowAction {
        guard let member = members.first(where: { $0.id == id }) else { return .refuseUnknown }
        guard member.state.isEnd else { return .refuseUnfinished }
        // Its journal was removed, so there is nothing to continue.
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

    /// Adds a run that was queued.
    package mutating func followed(by id: Int64) {
        members.append(Member(id: id, state: .queued))
    }

    /// Changes the state of a run.
    package mutating func changed(_ id: Int64, to state: RunState) {
        guard let place = members.firstIndex(where: { $0.id == id }) else { return }
        members[place].state = state
    }

    /// Removes a deleted run.
    package mutating func deleted(_ id: Int64) {
        members.removeAll { $0.id == id }
    }
}
