import Basics
import Chunking
package import CloudModel
import CloudStorage
import ContainerLog
import Dispatch
package import LocalMetadata
import Logging
import Synchronization

/// Determines which contents the cloud has complete, with all of their chunks, in the history followed by this device.
/// Bytes are evicted only after such an answer: an earlier upload does not count, because a cloud can be rolled back.
package struct StoredContents: Sendable {
    /// A content in a container.
    package struct Place: Hashable, Sendable {
        package let container: ContainerID
        package let content: ContentReference

        package init(container: ContainerID, content: ContentReference) {
            self.container = container
            self.content = content
        }
    }

    /// The maximum number of items per query.
    static let limit = 256

    let context: EngineContext

    private final class Answer: Sendable {
        private let places = Mutex<Set<Place>>([])
        var found: Set<Place> { places.withLock { $0 } }
        func set(_ more: Set<Place>) { places.withLock { $0.formUnion(more) } }
    }

    private struct Question: Sendable {
        let container: LocalContainer
        /// Of the newest proposed collection; 0 if there is none.
        let epoch: UInt64
        var contents: Set<ContentReference> = []
        var manifests: [Digest: [UInt8]] = [:]
    }

    /// Returns the contents of these files stored in the cloud. Blocks.
    func find(of items: [LocalItem]) throws -> Set<Place> {
        if let findStored = context.findStored { return findStored(items) }
        let questions = try context.metadata.read { try self.questions(about: items, $0) }
        guard !questions.isEmpty else { return [] }
        let answer = Answer()
        let isAnswered = DispatchSemaphore(value: 0)
        let task = Task { [self] in
            defer { isAnswered.signal() }
            for question in questions where !Task.isCancelled {
                let found = await ask(question)
                answer.set(found)
            }
        }
        if isAnswered.wait(timeout: .now() + context.timing.confirmation / .seconds(1)) == .timedOut { task.cancel() }
        return answer.found
    }

    private func questions(about items: [LocalItem], _ transaction: MetadataTransaction) throws -> [Question] {
        var questions: [ContainerID: Question] = [:]
        for item in items {
            guard let content = item.content, item.presence != .none,
                let container = try questions[item.container]?.container ?? transaction.container(item.container),
                container.divergence == nil, container.isInCloud
            else { continue }
            if questions[container.id] == nil {
                let epoch = try transaction.remote(in: container.id).collectionEpochs().proposed
                questions[container.id] = Question(container: container, epoch: epoch)
            }
            questions[container.id]?.contents.insert(content)
            if content.layout == .manifest, let known = try transaction.manifest(content.digest) {
                questions[container.id]?.manifests[content.digest] = Array(known)
            }
        }
        return Array(questions.values)
    }

    private func ask(_ question: Question) async -> Set<Place> {
        let container = question.container
        do {
            // An answer counts only if it comes from the history read by this device.
            _ = try await context.backend.entries(in: container.name, after: container.position, limit: 0)
            var chunks: [ContentReference: Set<ChunkID>] = [:]
            for content in question.contents {
                chunks[content] = try await chunkIDs(of: content, question)
            }
            let all = chunks.values.reduce(into: Set()) { $0.formUnion($1) }
            let missing = try await missing(Array(all), question)
            return Set(
                chunks.lazy.filter { missing.isDisjoint(with: $0.value) }.map {
                    Place(container: container.id, content: $0.key)
                })
        } catch {
            context.log.debug(
                "the cloud did not confirm that it has documents, so their bytes stay",
                metadata: ["container": "\(container.name)", "why": "\(error)"])
            return []
        }
    }

    /// Chunks without any key in the cloud, whether from before or after a collection.
    private func missing(_ chunks: [ChunkID], _ question: Question) async throws -> Set<ChunkID> {
        guard !chunks.isEmpty else { return [] }
        let (backend, name) = (context.backend, question.container.name)
        let missing = try await backend.missing(chunks, in: name)
        guard !missing.isEmpty, question.epoch > 0, let collecting = backend.facet((any ChunkCollecting).self) else {
            return missing
        }
        let present = try await collecting.present(
            missing.flatMap(KeySafety(epoch: question.epoch).candidates), in: name)
        return missing.subtracting(present.map(\.id))
    }

    private func chunkIDs(of content: ContentReference, _ question: Question) async throws -> Set<ChunkID> {
        if content.layout == .empty { return [] }
        if let single = Manifest(within: content) { return Set(single.chunks.map(\.id)) }
        if let known = question.manifests[content.digest] { return try Self.chunkIDs(of: content, in: known) }
        let frame = try await context.backend.getChunk(content.digest, in: question.container.name)
        return try Self.chunkIDs(of: content, in: ChunkFrame.decode(frame, expecting: content.digest))
    }

    private static func chunkIDs(of content: ContentReference, in manifest: [UInt8]) throws -> Set<ChunkID> {
        let manifest = try Manifest(decoding: manifest, size: content.size)
        return Set(manifest.chunks.map(\.id)).union([content.digest])
    }
}
