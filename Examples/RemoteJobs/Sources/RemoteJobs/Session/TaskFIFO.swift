/// Keys in the order in which they came.
struct TaskFIFO {
    private var keys: [String] = []
    private var head = 0

    /// The oldest.
    var first: String? { head < keys.count ? keys[head] : nil }

    mutating func append(_ key: String) {
        keys.append(key)
    }

    mutating func removeFirst() {
        keys[head] = ""
        head += 1
        if head > 1_024, head > keys.count / 2 {
            keys.removeFirst(head)
            head = 0
        }
    }
}
