extension Dictionary {
    /// Removes a value, and frees the memory of many removed ones if few are left.
    @inline(__always)
    @discardableResult
    mutating func removeCompactly(_ key: Key) -> Value? {
        let value = removeValue(forKey: key)
        if count < capacity / 8, capacity > 128 { removeSpareMemory() }
        return value
    }

    private mutating func removeSpareMemory() {
        var smaller = Dictionary(minimumCapacity: count)
        for (key, value) in self { smaller[key] = value }
        self = smaller
    }
}
