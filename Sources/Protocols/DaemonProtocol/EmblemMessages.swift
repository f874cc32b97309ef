package import CloudModel

/// Requests the state that a file manager shows, for many paths at once. The response has one for each path, in the same order.
package struct EmblemsRequest: DaemonCall {
    package typealias Response = EmblemsResponse
    package static let verb = "emblems"
    /// The maximum number of paths; a request with more fails.
    package static let limit = 1_000

    package let paths: [Path]
    package init(paths: [MountPath]) { self.paths = paths.map(Path.init) }

    /// A path of a request. One that is malformed, or that would lead out of the mount, does not fail the others.
    package struct Path: Codable, Hashable, Sendable {
        /// Nil if the path cannot be one of the mount.
        package let path: MountPath?

        package init(_ path: MountPath?) { self.path = path }

        package init(from decoder: any Decoder) throws {
            // Whatever is not a path is shown as one outside of the mount.
            path = try? MountPath(from: decoder)
        }

        package func encode(to encoder: any Encoder) throws {
            if let path { return try path.encode(to: encoder) }
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
}

package struct EmblemsResponse: CallResponse {
    package static let kind = "emblems"

    package let emblems: [DocumentEmblem]
    package init(emblems: [DocumentEmblem]) { self.emblems = emblems }
}

extension DocumentEmblem: Codable {
    /// An emblem of a later version is shown as ``unknown``.
    package init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
