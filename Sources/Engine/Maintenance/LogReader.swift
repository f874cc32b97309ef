package import CloudModel
package import CloudStorage
package import ContainerLog

/// Reads a log from its beginning and continues past damaged entries.
package struct LogReader {
    package struct Entry {
        package enum Content {
            case batch(ChangeBatch)
            case damaged(String)
        }
        package let sequence: LogSequence
        package let content: Content
    }

    private let backend: any CloudBackend
    private let container: ContainerName
    private var position = LogPosition.start
    /// The first entry that does not follow its predecessor; nil if all did so far.
    package private(set) var firstBreak: LogSequence?
    private var ready: [LogRecord] = []
    private var lastDamage: String?

    package init(_ backend: any CloudBackend, _ container: ContainerName) {
        self.backend = backend
        self.container = container
    }

    /// Returns the next entry, or nil at the end. Throws a ``CloudError`` not specific to a single entry, and
    /// ``LogError`` for an entry of a newer version.
    package mutating func next() async throws -> Entry? {
        if ready.isEmpty {
            do { ready = try await fill().reversed() } catch let error as CloudError {
                guard [.damaged, .diverged].contains(error.code) else { throw error }
                if error.code == .diverged {
                    // Without a digest no history can differ: the log is shorter than it was, and ends here.
                    guard position.digest != nil else { return nil }
                    return try await afterBreak()
                }
                // A repeated message is not specific to a single entry.
                guard error.message != lastDamage else { return nil }
                lastDamage = error.message
                position = LogPosition(position.sequence.next, nil)
                return Entry(sequence: position.sequence, content: .damaged(error.message))
            }
        }
        guard let record = ready.popLast() else { return nil }
        position = record.position
        do {
            return Entry(sequence: record.sequence, content: .batch(try ChangeBatch(decoding: record.payload)))
        } catch {
            guard case .damaged(let why) = error else { throw error }
            return Entry(sequence: record.sequence, content: .damaged(why))
        }
    }

    /// Returns the next entry, possibly the start of a different history; nil at the end.
    private mutating func afterBreak() async throws -> Entry? {
        position = LogPosition(position.sequence, nil)
        let suspect = position.sequence.next
        let entry = try await next()
        if entry?.sequence == suspect { firstBreak = firstBreak ?? suspect }
        return entry
    }

    /// Reads many entries together, or a single entry if any of them is damaged or belongs to a different history, so
    /// that those before it are still read.
    private func fill() async throws -> [LogRecord] {
        do { return try await backend.entries(in: container, after: position, limit: 64) } catch let error as CloudError
        {
            guard [.damaged, .diverged].contains(error.code) else { throw error }
            return try await backend.entries(in: container, after: position, limit: 1)
        }
    }
}
