import DaemonProtocol
import Foundation

/// A store's last known values, in a file beside the journal: `key-values/CONTAINER.known`. A program reads its
/// settings from it while no daemon runs.
struct KeyValueCache: Sendable {
    struct Kept: Equatable {
        /// The values' cloud and account.
        let account: String
        let values: [String: PropertyValue]
    }

    private let path: String

    init(_ container: String) { path = "\(KeyValueJournal.path(of: container)).known" }

    private var stored: Data? { FileManager.default.contents(atPath: path) }

    /// Returns the stored values; nil if there are none, or they cannot be read.
    func read() -> Kept? {
        guard let data = stored, case .dictionary(let entries) = try? PropertyValue(decoding: data),
            case .text(let account) = entries["account"], case .dictionary(let values) = entries["values"]
        else { return nil }
        let decoded = values.compactMapValues { value -> PropertyValue? in
            // A newer program's value of unknown form is skipped.
            if case .data(let bytes) = value { try? PropertyValue(decoding: bytes) } else { nil }
        }
        return Kept(account: account, values: decoded)
    }

    func write(_ kept: Kept) {
        // Values are encoded separately, because a value may already be nested as deeply as the format allows.
        let values = kept.values.compactMapValues { $0.encoded().map { PropertyValue.data($0) } }
        let entries: [String: PropertyValue] = ["account": .text(kept.account), "values": .dictionary(values)]
        guard let bytes = PropertyValue.dictionary(entries).encoded(), stored != Data(bytes) else { return }
        // Best effort: unstorable values are read from the next daemon.
        try? KeyValueJournal.replace(path, with: bytes)
    }
}
