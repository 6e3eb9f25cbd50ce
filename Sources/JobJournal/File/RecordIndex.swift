/// A journal's index in memory: the location of each outcome, and the steps that have begun.
///
/// It takes about 60 bytes for each record, regardless of the size of the outcome.
struct RecordIndex: Sendable {
    private(set) var locations: [SipHash.Digest: RecordLocation] = [:]
    /// Steps that began in an earlier session and have not succeeded since.
    private(set) var begun: Set<SipHash.Digest> = []
    /// The number of outcomes that are recorded in each scope and the scopes below it.
    private var counts: [SipHash.Digest: Int] = [:]
    private(set) var outcomeBytes = 0

    var count: Int { locations.count }

    /// The approximate size of the records that count.
    var liveBytes: Int { outcomeBytes + begun.count * (Record.headerSize + 16) }

    func count(in scope: SipHash.Digest) -> Int { counts[scope] ?? 0 }

    /// Reserves memory for a number of records.
    mutating func reserve(_ count: Int) { locations.reserveCapacity(count) }

    mutating func stepBegan(_ step: SipHash.Digest) { begun.insert(step) }

    /// Adds an outcome, which replaces an earlier one of the same step.
    mutating func outcomeRecorded(
        _ step: SipHash.Digest,
        in scopes: [SipHash.Digest],
        at location: RecordLocation
    ) {
        if let replaced = locations.updateValue(location, forKey: step) {
            outcomeBytes -= replaced.size
        } else {
            for scope in scopes { counts[scope, default: 0] += 1 }
        }
        outcomeBytes += location.size
        if !begun.isEmpty { begun.remove(step) }
    }

    /// Applies a record of an earlier session.
    ///
    /// Returns false if the record does not belong in a journal.
    mutating func apply(_ record: FoundRecord) -> Bool {
        switch record.kind {
        case .journal, .session, .filler: break
        case .begun:
            let payload = record.payload
            guard payload.count == 16 else { return false }
            stepBegan(SipHash.Digest(low: payload.little(0), high: payload.little(8)))
        case .outcome:
            guard let step = RecordedStep(record.payload, with: record.fileKey) else {
                return false
            }
            outcomeRecorded(step.digest, in: step.scopes, at: record.location)
        case .outbox, .copy, .entry, .change, .left, .cleared, .batch: return false
        }
        return true
    }
}
