import DaemonProtocol
import Foundation
import Glibc

/// What a program wrote while there was no daemon, in a file that the next one is given: `key-values/CONTAINER` beside the devices' states.
struct KeyValueJournal: Sendable {
    private let file: DurableFile

    init(_ container: String) { file = DurableFile(Self.path(of: container)) }

    static func path(of container: String) -> String {
        let name = container.replacingOccurrences(of: "/", with: "_")
        return "\(StandardPaths.current.data)/key-values/\(name)"
    }

    /// Nothing where there is no journal, or one that can not be read.
    func read() -> [String: PropertyValue?] {
        guard let data = file.read(), case .dictionary(let entries) = try? PropertyValue(decoding: data)
        else { return [:] }
        return entries.mapValues { entry in
            // A value stands in a list of one; an empty list is a removal.
            if case .array(let value) = entry { value.first } else { nil }
        }
    }

    /// - Returns: Whether it is durable.
    func write(_ written: [String: PropertyValue?]) -> Bool {
        let entries = written.mapValues { value in PropertyValue.array(value.map { [$0] } ?? []) }
        guard let bytes = PropertyValue.dictionary(entries).encoded() else { return false }
        return file.write(bytes)
    }

    func remove() {
        // Where there is none, or it can not go: the same values are written again, which changes nothing.
        unlink(file.path)
    }
}
