package import CloudModel

/// The state of an item, as printed by `ubiquity status --json PATH`: a single object with the fields of both parts.
/// Fields are only ever added.
///
/// Whether the bytes are local, whether they are in the cloud and whether there is a conflict are three independent
/// facts.
@dynamicMemberLookup
package struct ItemStatus: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable { case file, folder, package, symlink }

    /// The item's identity and its attributes beyond the facts of its state.
    package struct Details: Codable, Hashable, Sendable {
        package var path: MountPath
        package var kind: Kind
        /// For a conflict sibling: its winning document.
        package var conflictOf: MountPath?
        package var pin: PinPolicy = .inherited
        /// The value of `pin` after inheritance; never `inherited`.
        package var effectivePin: PinPolicy = .lazy
        package var itemID: String
        /// The base version of the local content; nil before the first upload.
        package var version: String?
        /// The device that created that version.
        package var device: String?
        package var container: String
        /// For a package and a container's folder: the package extensions declared by the container. Nil for other
        /// items.
        package var packageTypes: [String]?
        /// The pattern that keeps it on this device; nil if none does.
        package var excludedBy: ExcludingPattern?
    }

    /// A pattern of an ignore file.
    package struct ExcludingPattern: Codable, Hashable, Sendable {
        /// The ignore file.
        package let path: MountPath
        /// The number of the line, from 1.
        package let line: Int
        package let pattern: String

        package init(path: MountPath, line: Int, pattern: String) {
            self.path = path
            self.line = line
            self.pattern = pattern
        }
    }

    package var details: Details
    /// The state, with messages of ``failure(_:)`` as errors.
    package private(set) var state: DocumentState
    /// The errors of the state as the message contains them.
    private var failures: [DocumentFact: DaemonFailure] = [:]

    package init(path: MountPath, kind: Kind, state: DocumentState, itemID: String, container: String) {
        details = Details(path: path, kind: kind, itemID: itemID, container: container)
        self.state = state
        for fact in DocumentFact.errors {
            guard case .text(let text) = state[fact] else { continue }
            setFailure(DaemonFailure(.failed, sentences: text, path: path.description), for: fact)
        }
    }

    /// - Returns: The error of this fact; nil if there is none.
    package func failure(_ fact: DocumentFact) -> DaemonFailure? { failures[fact] }

    package var allFailures: [DaemonFailure] { DocumentFact.errors.compactMap { failures[$0] } }

    package mutating func setFailure(_ failure: DaemonFailure?, for fact: DocumentFact) {
        guard case .error(let path) = fact.field else { return }
        failures[fact] = failure
        state[keyPath: path] = failure?.message
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Details, Value>) -> Value {
        get { details[keyPath: path] }
        set { details[keyPath: path] = newValue }
    }

    package subscript<Value>(dynamicMember path: KeyPath<DocumentState, Value>) -> Value { state[keyPath: path] }

    // MARK: Codable

    package init(from decoder: any Decoder) throws {
        details = try Details(from: decoder)
        var failures: [DocumentFact: DaemonFailure] = [:]
        state = try DocumentState(from: decoder) { (fact, failure: DaemonFailure) in
            failures[fact] = failure
            return failure.message
        }
        self.failures = failures
    }

    package func encode(to encoder: any Encoder) throws {
        try details.encode(to: encoder)
        try state.encode(to: encoder) { failures[$0] }
    }
}
