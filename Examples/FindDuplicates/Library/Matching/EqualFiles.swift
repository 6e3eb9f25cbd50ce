import Crypto

/// Collects the files of each content.
struct EqualFiles {
    /// The first file of each content: most contents have no other, and need no array.
    private var firsts: [SHA256Digest: Int] = [:]
    /// The further files of each content, by the number of the first.
    private var others: [Int: [Int]] = [:]

    /// Adds a file by its number and the digest of all its bytes.
    mutating func add(_ number: Int, digest: SHA256Digest) {
        if let first = firsts[digest] {
            others[first, default: []].append(number)
        } else {
            firsts[digest] = number
        }
    }

    /// The numbers of the files of each content that has more than one.
    var groups: [[Int]] {
        others.map { first, others in [first] + others }
    }
}
