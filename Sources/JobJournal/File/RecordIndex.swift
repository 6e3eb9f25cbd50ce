/// What a journal knows in memory: of each outcome where it stands, and which steps have begun.
///
/// Some 60 bytes for each record, however large its outcome.
struct RecordIndex: Sendable {
    /// Where an outcome's frame stands.
    struct Place: Hashable, Sendable {
        let offset: Int
        let payloadCount: UInt32

        var size: Int { Frame.headerSize + Int(payloadCount) }
    }

    private(set) var places: [SipHash.Digest: Place] = [:]
    /// Steps that an earlier session began and none has ended with success.
    private(set) var begun: Set<SipHash.Digest> = []
    /// How many outcomes are recorded in each scope and those below it.
    private var counts: [SipHash.Digest: Int] = [:]
    private(set) var outcomeBytes = 0

    var count: Int { places.count }

    func count(in scope: SipHash.Digest) -> Int { counts[scope] ?? 0 }

    /// Prepares for so many records.
    mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

    mutating func stepBegan(_ step: SipHash.Digest) { begun.insert(step) }

    /// The outcome that is recorded last is the one that is known.
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
