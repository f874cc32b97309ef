import DaemonProtocol
import Foundation

/// What a store held when a daemon was last there, in a file beside the journal: `key-values/CONTAINER.known`. So a program reads its settings
/// while none runs.
struct KeyValueCache: Sendable {
    struct Kept: Equatable {
        /// Of which cloud.
        let account: String
        let values: [String: PropertyValue]
    }

    private let path: String

    init(_ container: String) { path = "\(KeyValueJournal.path(of: container)).known" }

    private var stored: Data? { FileManager.default.contents(atPath: path) }

    /// Nil where nothing was kept, or what cannot be read.
    func read() -> Kept? {
        guard let data = stored, case .dictionary(let entries) = try? PropertyValue(decoding: data),
            case .text(let account) = entries["account"], case .dictionary(let values) = entries["values"]
        else { return nil }
        let decoded = values.compactMapValues { value -> PropertyValue? in
            // What a newer program kept in a form that this one does not know is not shown by it.
            if case .data(let bytes) = value { try? PropertyValue(decoding: bytes) } else { nil }
        }
        return Kept(account: account, values: decoded)
    }

    func write(_ kept: Kept) {
        // Encoded one by one: a value may be nested as deep as one can be.
        let values = kept.values.compactMapValues { $0.encoded().map { PropertyValue.data($0) } }
        let entries: [String: PropertyValue] = ["account": .text(kept.account), "values": .dictionary(values)]
        guard let bytes = PropertyValue.dictionary(entries).encoded(), stored != Data(bytes) else { return }
        // What is not stored is there again with the next daemon.
        try? KeyValueJournal.replace(path, with: bytes)
    }
}
