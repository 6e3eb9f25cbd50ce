/// A journal's index in memory: the location of each outcome, and the steps that have begun.
///
/// It takes about 60 bytes for each record, regardless of the size of the outcome.
struct RecordIndex: Sendable {
    /// The location of a record in the file.
    struct Place: Hashable, Sendable {
        let offset: Int
        let payloadCount: UInt32

        var size: Int { Frame.headerSize + Int(payloadCount) }
    }

    private(set) var places: [SipHash.Digest: Place] = [:]
    /// Steps that began in an earlier session and have not succeeded since.
    private(set) var begun: Set<SipHash.Digest> = []
    /// The number of outcomes that are recorded in each scope and the scopes below it.
    private var counts: [SipHash.Digest: Int] = [:]
    private(set) var outcomeBytes = 0

    var count: Int { places.count }

    func count(in scope: SipHash.Digest) -> Int { counts[scope] ?? 0 }

    /// Reserves memory for a number of records.
    mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

    mutating func stepBegan(_ step: SipHash.Digest) { begun.insert(step) }

    /// Adds an outcome, which replaces an earlier one of the same step.
    mutating func outcomeRecorded(
        _ step: SipHash.Digest,
        in scopes: [SipHash.Digest],
        at place: Place
    ) {
        if let replaced = places.updateValue(place, forKey: step) {
            outcomeBytes -= replaced.size
        } else {
            for scope in scopes { counts[scope, default: 0] += 1 }
        }
        outcomeBytes += place.size
        if !begun.isEmpty { begun.remove(step) }
    }
}
