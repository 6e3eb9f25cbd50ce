extension JobJournal {
    /// A step's input differs from the one with which its outcome was recorded.
    ///
    /// The step did not run. Another version of the step forgets the record.
    public struct InputChangedError: Error, Hashable, CustomStringConvertible {
        /// The step's key.
        public let key: String

        /// Names the step.
        public var description: String { "The input of \(key) is not the recorded one." }
    }

    /// A step of the same key has not finished in this life of the job.
    public struct KeyInUseError: Error, Hashable, CustomStringConvertible {
        /// The steps' key.
        public let key: String

        /// Names the step.
        public var description: String { "A step with the key \(key) has not finished." }
    }
}
