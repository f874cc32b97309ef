package import FoundationEssentials

/// Asks for the values of a container's key-value store.
package struct KeyValuesRequest: Codable, Hashable, Sendable {
    package let container: String
    /// All without it.
    package let keys: [String]?

    package init(container: String, keys: [String]? = nil) {
        self.container = container
        self.keys = keys
    }
}

package struct KeyValuesResponse: Codable, Hashable, Sendable {
    /// Encoded property lists (docs/KEYVALUES.md).
    package let values: [String: Data]
    package init(values: [String: Data]) { self.values = values }
}

/// Writes values, all or none; durable when answered. Fails with `quota` where they would exceed what a store holds.
package struct SetKeyValuesRequest: Codable, Hashable, Sendable {
    package let container: String
    package let set: [String: Data]
    package let remove: [String]

    package init(container: String, set: [String: Data] = [:], remove: [String] = []) {
        self.container = container
        self.set = set
        self.remove = remove
    }
}

/// Asks for changes that others make to a store, as events until the client leaves; the first one comes at once and names no key: what
/// changes from then on is told.
package struct WatchKeyValuesRequest: Codable, Hashable, Sendable {
    package let container: String
    package init(container: String) { self.container = container }
}

/// What became of keys of a store. Of one that is not read in time the keys are gathered.
package struct KeyValueEvent: Codable, Hashable, Sendable {
    package enum Reason: String, Codable, Hashable, Sendable {
        /// Another device, or another program here.
        case serverChange
        /// Values of the cloud that came when this device first saw the store.
        case initialSync
        /// Values written here were more than the store of the cloud holds, and are gone.
        case quotaViolation

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .serverChange
        }
    }

    package let reason: Reason
    package let keys: [String]

    package init(reason: Reason, keys: [String]) {
        self.reason = reason
        self.keys = keys
    }
}
