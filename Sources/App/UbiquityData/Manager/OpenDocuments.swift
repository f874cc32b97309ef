import Synchronization

/// A process's open documents. They are not kept alive.
final class OpenDocuments: Sendable {
    private struct Reference {
        weak var document: UbiquitousDatabaseDocument?
    }

    private let documents = Mutex<[PackageName: [Reference]]>([:])

    func add(_ document: UbiquitousDatabaseDocument) {
        documents.withLock { documents in
            let alive = (documents[document.name] ?? []).filter { $0.document?.isOpen == true }
            documents[document.name] = alive + [Reference(document: document)]
        }
    }

    private func all(_ name: PackageName) -> [UbiquitousDatabaseDocument] {
        documents.withLock { $0[name] ?? [] }.compactMap(\.document).filter(\.isOpen)
    }

    func find(_ name: PackageName) -> UbiquitousDatabaseDocument? { all(name).first }

    func close(_ name: PackageName) throws {
        for document in all(name) { try document.close() }
        documents.withLock { $0[name] = nil }
    }

    func closeAll() throws { for name in documents.withLock({ Array($0.keys) }) { try close(name) } }

    func noteReachable() {
        for name in documents.withLock({ Array($0.keys) }) { for document in all(name) { document.noteReachable() } }
    }
}
