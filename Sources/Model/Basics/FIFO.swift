/// A first-in, first-out queue; amortised constant time at both ends, memory proportional to its count.
package struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head > 32, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isUnwanted($0) } ?? false }
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
