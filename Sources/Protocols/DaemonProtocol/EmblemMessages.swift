package import CloudModel

/// Requests the state for a file manager, for many paths at once. The response has a state for each path, in the same
/// order.
package struct EmblemsRequest: DaemonCall {
    package typealias Response = EmblemsResponse
    package static let verb = "emblems"
    /// The maximum number of paths; a request with more fails.
    package static let limit = 1_000

    package let paths: [Path]
    package init(paths: [MountPath]) { self.paths = paths.map(Path.init) }

    private enum CodingKeys: String, CodingKey { case paths }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Nearly always all paths are texts, decoded several times as fast.
        if let texts = try? container.decode([String].self, forKey: .paths) {
            paths = texts.map { Path(try? MountPath($0)) }
        } else {
            paths = try container.decode([Path].self, forKey: .paths)
        }
    }

    /// A path of a request. If malformed or leading out of the mount, it does not fail the rest.
    package struct Path: Codable, Hashable, Sendable {
        /// Nil if the path cannot be in the mount.
        package let path: MountPath?

        package init(_ path: MountPath?) { self.path = path }

        package init(from decoder: any Decoder) throws {
            // Anything but a path is shown as outside of the mount.
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

    private enum CodingKeys: String, CodingKey { case emblems }

    /// An emblem of a later version is shown as ``DocumentEmblem/unknown``.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        emblems = try container.decode([String].self, forKey: .emblems).map { DocumentEmblem(rawValue: $0) ?? .unknown }
    }

    /// As an array of texts, encoded several times as fast as one of other types.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(emblems.map(\.rawValue), forKey: .emblems)
    }
}
