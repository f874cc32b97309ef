package import DaemonProtocol
import FoundationEssentials

/// The output of `ubiquity status --json`. `format` is raised only if a field changes its meaning; fields may be added.
package enum StatusJSON {
    static let format = 1

    private struct Mounts: Encodable {
        let format: Int
        let mounts: [Mount]
    }

    private struct Items: Encodable {
        let format: Int
        let items: [ItemStatus]
    }

    /// The fields of ``MountStatus`` and `isAnswering`; for an unresponsive daemon, the fields of its record and
    /// `failure`.
    private struct Mount: Encodable {
        let report: MountReport

        private enum CodingKeys: String, CodingKey { case mount, pid, state, isAnswering, failure }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch report.outcome {
            case .success(let status):
                try status.encode(to: encoder)
                try container.encode(true, forKey: .isAnswering)
            case .failure(let failure):
                try container.encode(report.mount, forKey: .mount)
                try container.encodeIfPresent(report.record?.pid, forKey: .pid)
                try container.encodeIfPresent(report.record?.state, forKey: .state)
                try container.encode(false, forKey: .isAnswering)
                try container.encode(failure.description, forKey: .failure)
            }
        }
    }

    package static func text(mounts: [MountReport]) throws -> String {
        try text(Mounts(format: format, mounts: mounts.map(Mount.init)))
    }

    package static func text(items: [ItemStatus]) throws -> String { try text(Items(format: format, items: items)) }

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns a state on a single line, for `--watch`.
    static func line(_ status: StatusResponse) -> String {
        // A value decoded from JSON can be encoded as JSON; an empty object is the fallback.
        (try? ControlFrame.payload(status)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
