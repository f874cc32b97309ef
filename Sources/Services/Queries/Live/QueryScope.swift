/// Where a query looks.
package struct QueryScope: Hashable, Sendable {
    package enum Area: String, Hashable, Sendable, CaseIterable {
        /// What is in the folder `Documents` of a container.
        case documents
        /// What is in a container and not there.
        case data
        case all
        /// Documents outside of every container. A mount has none.
        case external
    }

    package let areas: Set<Area>
    /// Numbers of containers; nil for all.
    package let containers: Set<Int64>?

    package init(areas: Set<Area> = [.all], containers: Set<Int64>? = nil) {
        self.areas = areas
        self.containers = containers
    }

    package func holds(_ subject: some LiveSubject) -> Bool {
        subject.isResult && holds(container: subject.scopeContainer, isInDocuments: subject.isInDocuments)
    }

    package func holds(container: Int64, isInDocuments: Bool) -> Bool {
        guard containers?.contains(container) ?? true else { return false }
        return areas.contains(.all) || areas.contains(isInDocuments ? .documents : .data)
    }
}

/// An item as live queries see it.
package protocol LiveSubject: QuerySubject {
    var scopeContainer: Int64 { get }
    var isInDocuments: Bool { get }
    /// False for what is part of a document, and for the folders that a container consists of.
    var isResult: Bool { get }
    /// ``Predicate/ending(of:)`` of its name.
    var ending: String? { get }
}
