/// What searches for a permit that ended in vain have shown: above which jobs there is none.
///
/// A mark says how far its job is from the end of the search, upwards. When the permit of a marked
/// job is to be had, or another job waits for it, the marks of that job and of all that are further
/// from the end are void; those above it hold. Without marks, each task of a job ten thousand jobs
/// deep would search all of them.
struct PermitSearches: Sendable {
    /// That neither the permit of a job nor that of any above it is to be had.
    struct Mark: Equatable, Sendable {
        /// The rounds in which marks are made, from 1 on; 0 for no mark.
        fileprivate var round = 0
        fileprivate var distance = 0
    }

    /// The current round, which ends when marks become void.
    private var round = 1
    /// The marks of these rounds and of those before are void from these distances on; both grow
    /// from one to the next, because what a later one covers is left out.
    private var voids: [(lastRound: Int, distance: Int)] = []

    /// How far a marked job is from the end of its search; nil if the mark does not hold.
    func distance(of mark: Mark) -> Int? {
        guard mark.round > 0 else { return nil }
        guard mark.round < round else { return mark.distance }
        // The first that counts for the mark's round has the smallest distance of those that do.
        var (first, end) = (0, voids.count)
        while first < end {
            let middle = (first + end) / 2
            if voids[middle].lastRound < mark.round { first = middle + 1 } else { end = middle }
        }
        guard first < voids.count, voids[first].distance <= mark.distance else {
            return mark.distance
        }
        return nil
    }

    /// A mark for a job so far from the end of a search that found nothing above it.
    func mark(at distance: Int) -> Mark { Mark(round: round, distance: distance) }

    /// The permit of the job with the mark is to be had now, or others are above it.
    mutating func forget(_ mark: Mark) {
        guard let distance = distance(of: mark) else { return }
        while let last = voids.last, last.distance >= distance { voids.removeLast() }
        voids.append((round, distance))
        round += 1
    }
}
