import Foundation

extension Timeline {
    /// One job or task and the time it took.
    public struct Entry: Sendable {
        /// The operation's name, or its type's.
        public let name: String

        /// The name of the operation's exact type.
        public let typeName: String

        /// The group in which its job tracked it: the one passed to `track`, or its type.
        ///
        /// Nil for the root, and for operations that were tracked before the recorder was added.
        public let group: String?

        /// How the operation ended; nil if it was still running when the timeline was taken.
        public let outcome: OperationOutcome?

        /// Its job's place in ``Timeline/entries``; nil for the root.
        public let parent: Int?

        /// The row to draw it in, counted from 0; entries of one lane nest or lie apart.
        ///
        /// A task shares its job's lane where it fits, and otherwise takes the lowest free one.
        public let lane: Int

        /// When it started, since the first event.
        public let start: Duration

        /// When it finished, since the first event, or when the timeline was taken.
        public let end: Duration
    }
}
