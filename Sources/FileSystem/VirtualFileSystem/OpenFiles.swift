import Basics
import LocalMetadata

/// The open files by node. A file is entered before its row is read, so an operation removing the row finds it.
final class OpenFiles: Sendable {
    private let table = RankedMutex<[NodeID: Entry]>(.leaf, [:])

    private struct Entry {
        let file: OpenFile
        var claims: Int
    }

    /// Returns the file of a node, creating it if it is not open; every claim needs one ``release(_:)``.
    func claim(_ node: NodeID) -> OpenFile {
        table.withLock { table in
            if let entry = table[node] {
                table[node]?.claims += 1
                return entry.file
            }
            let file = OpenFile(node: node)
            table[node] = Entry(file: file, claims: 1)
            return file
        }
    }

    /// Claims the file of a node if it is open.
    func claimOpen(_ node: NodeID) -> OpenFile? {
        table.withLock { table in
            guard let entry = table[node] else { return nil }
            table[node]?.claims += 1
            return entry.file
        }
    }

    /// Releases a claim. Returns true for the last claim: the caller then closes the file's resources.
    func release(_ file: OpenFile) -> Bool {
        table.withLock { table in
            guard var entry = table[file.node], entry.file === file else { return true }
            entry.claims -= 1
            table[file.node] = entry.claims == 0 ? nil : entry
            return entry.claims == 0
        }
    }

    subscript(node: NodeID) -> OpenFile? { table.withLock { $0[node]?.file } }

    func isOpen(_ node: NodeID) -> Bool { table.withLock { $0[node] != nil } }

    var all: [OpenFile] { table.withLock { $0.values.map(\.file) } }
}
