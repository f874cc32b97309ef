package import CloudModel

/// An item found by a query, with all its queryable attributes: a single object with the fields of both parts.
@dynamicMemberLookup
package struct FoundItem: Codable, Hashable, Sendable {
    /// The item's identity and its attributes beyond the facts of its state.
    package struct Details: Codable, Hashable, Sendable {
        /// The item's number, stable while the item exists on this device, even if it is moved.
        package var item: UInt64
        package var path: MountPath
        package var kind: ItemStatus.Kind
        package var contentType: String
        package var modified: WireTime
        package var created: WireTime
        package var container: String
        package var isInDocuments: Bool
        /// The document of this conflict version.
        package var conflictOf: MountPath?
        package var tags: [String]?

        package init(
            item: UInt64, path: MountPath, kind: ItemStatus.Kind, contentType: String, modified: WireTime,
            created: WireTime, container: String, isInDocuments: Bool
        ) {
            self.item = item
            self.path = path
            self.kind = kind
            self.contentType = contentType
            self.modified = modified
            self.created = created
            self.container = container
            self.isInDocuments = isInDocuments
        }
    }

    package var details: Details
    package var state: DocumentState

    package init(_ details: Details, _ state: DocumentState) {
        self.details = details
        self.state = state
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Details, Value>) -> Value {
        get { details[keyPath: path] }
        set { details[keyPath: path] = newValue }
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<DocumentState, Value>) -> Value {
        get { state[keyPath: path] }
        set { state[keyPath: path] = newValue }
    }

    // MARK: Codable

    package init(from decoder: any Decoder) throws {
        details = try Details(from: decoder)
        state = try DocumentState(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try details.encode(to: encoder)
        try state.encode(to: encoder)
    }
}
