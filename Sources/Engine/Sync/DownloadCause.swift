import LocalMetadata

/// Why bytes of a document were downloaded.
package enum DownloadCause: Hashable, Sendable {
    /// A program of this name opened the document.
    case program(String)
    /// An unidentified program opened it.
    case unknown
    /// `ubiquity download`, or a program through its extended attribute or the library.
    case requested
    /// Something else of its package was opened.
    case package
    /// It, or a folder above it, is kept on this device.
    case kept
    /// A different device created a newer version of a local document.
    case update
    /// There was plenty of space (`pin --when-space`).
    case whenSpace

    package init(program: String?) { self = program.map { .program($0) } ?? .unknown }

    /// The cause of a queued download, by its priority in the queue.
    init(wanted: UInt8) {
        self =
            switch wanted {
            case ...DownloadPriority.whenSpace: .whenSpace
            case ..<50: .kept
            case ..<60: .update
            case ..<100: .package
            default: .requested
            }
    }

    /// All causes but programs, with their names for storage and display.
    package static let others: [(name: String, cause: DownloadCause)] = [
        ("unknown", .unknown), ("requested", .requested), ("package", .package), ("kept", .kept), ("update", .update),
        ("whenSpace", .whenSpace),
    ]

    /// `program`, or the name in ``others``.
    package var name: String { Self.others.first { $0.cause == self }?.name ?? "program" }

    /// The program's name; nil for other causes.
    package var program: String? { if case .program(let name) = self { name } else { nil } }
}
