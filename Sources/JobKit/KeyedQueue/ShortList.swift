/// A list that stores its first element inline, because most lists here have only one.
///
/// An array would allocate memory.
@usableFromInline
struct ShortList<Element>: RandomAccessCollection, ExpressibleByArrayLiteral {
    @usableFromInline var first: Element?
    @usableFromInline var others: [Element] = []

    @inlinable init() {}

    @usableFromInline
    init(arrayLiteral elements: Element...) {
        for element in elements { append(element) }
    }

    @inlinable var startIndex: Int { 0 }
    @inlinable var endIndex: Int { first == nil ? 0 : others.count + 1 }

    @inlinable subscript(index: Int) -> Element {
        if index == 0, let first { first } else { others[index - 1] }
    }

    @inlinable
    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}

extension ShortList: Equatable where Element: Equatable {}
extension ShortList: Hashable where Element: Hashable {}
extension ShortList: Sendable where Element: Sendable {}
