/// The part of the mount searched by a query.
package struct QueryScope: Hashable, Sendable {
    package enum Area: String, Hashable, Sendable, CaseIterable {
        /// Items in the folder `Documents` of a container.
        case documents
        /// Items in a container outside of `Documents`.
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
    /// False for parts of a document, and for a container's own folders.
    var isResult: Bool { get }
    /// The ``Predicate/ending(of:)`` of its name.
    var ending: String? { get }
}
