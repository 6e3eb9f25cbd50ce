/// A list whose elements keep their indices until they are removed.
///
/// If many elements are removed, it frees their memory while further ones come and go.
struct StableList<Element: Blank> {
    private var elements: ContiguousArray<Element> = []
    /// The vacant indices of the first half, which are used first, and those of the second half.
    ///
    /// Therefore, the second half becomes vacant.
    private var vacant: [Int] = []
    private var spare: [Int] = []
    private var removedCount = 0

    /// How many elements there are.
    var count: Int { elements.count - vacant.count - spare.count }

    /// The end of the indices, some of which may be vacant.
    var endIndex: Int { elements.count }

    /// The index of the next element to be added.
    var nextIndex: Int { vacant.last ?? spare.last ?? elements.count }

    subscript(index: Int) -> Element {
        @inline(__always) _read { yield elements[index] }
        @inline(__always) _modify { yield &elements[index] }
    }

    /// Adds a blank element, and returns its index.
    mutating func add() -> Int {
        if let index = vacant.popLast() ?? spare.popLast() { return index }
        elements.append(Element())
        return elements.count - 1
    }

    /// Removes an element.
    mutating func remove(_ index: Int) {
        elements[index] = Element()
        addVacant(index)
        removedCount += 1
        if elements.count > max(64, 2 * count), removedCount >= elements.count { removeVacant() }
    }

    private mutating func addVacant(_ index: Int) {
        if index < elements.count / 2 { vacant.append(index) } else { spare.append(index) }
    }

    /// Frees the memory of vacant elements at the end.
    ///
    /// Takes constant time on average, because as many elements were removed before.
    private mutating func removeVacant() {
        var isVacant = ContiguousArray(repeating: false, count: elements.count)
        for index in vacant + spare { isVacant[index] = true }
        let end = (isVacant.lastIndex(of: false) ?? -1) + 1
        elements = ContiguousArray(elements.prefix(end))
        (vacant, spare, removedCount) = ([], [], 0)
        for index in 0..<end where isVacant[index] { addVacant(index) }
    }
}

/// A type whose blank value fills vacant elements.
protocol Blank {
    init()
}
