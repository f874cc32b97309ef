package import FoundationEssentials

/// Requests the values of a container's key-value store.
package struct KeyValuesRequest: DaemonCall {
    package typealias Response = KeyValuesResponse
    package static let verb = "keyValues"

    package let container: String
    /// The keys to return; nil for all.
    package let keys: [String]?

    package init(container: String, keys: [String]? = nil) {
        self.container = container
        self.keys = keys
    }
}

package struct KeyValuesResponse: CallResponse {
    package static let kind = "keyValues"

    /// Encoded property lists (docs/KEYVALUES.md).
    package let values: [String: Data]
    package init(values: [String: Data]) { self.values = values }
}

/// Writes values atomically; they are durable when the response is sent. Fails with `quota` if they would exceed the size of a store.
package struct SetKeyValuesRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "setKeyValues"

    package let container: String
    package let set: [String: Data]
    package let remove: [String]

    package init(container: String, set: [String: Data] = [:], remove: [String] = []) {
        self.container = container
        self.set = set
        self.remove = remove
    }
}

/// Requests events about external changes of a store, until the client disconnects. The first event is sent immediately
/// and names no key: all later changes are reported.
package struct WatchKeyValuesRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "watchKeyValues"
    package var admission: CallAdmission { .lasting }

    package let container: String
    package init(container: String) { self.container = container }
}

/// Changed keys of a store. The keys of events not read in time are merged.
package struct KeyValueEvent: Codable, Hashable, Sendable {
    package enum Reason: String, Codable, Hashable, Sendable {
        /// Another device changed them, or another program on this device.
        case serverChange
        /// The values came from the cloud when this device first saw the store.
        case initialSync
        /// Locally written values exceeded the store's size in the cloud and were discarded.
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
