import Basics
import CloudModel
import CloudStorage
import ContainerLog
import TestSupport

/// Sends a user's work, a small step at a time: verifies the keys of chunks before each append, as the engine does
/// (`ContentGate`, `CollectionKeys`).
final class SimulatedUploader {
    private enum State {
        case idle
        /// The chunks not verified yet.
        case verifying([ChunkID])
        /// The cloud has listed the keys of the last chunk.
        case listed(KeySafety, present: Set<ChunkKey>, [ChunkID])
        /// The last chunk is to be put.
        case putting([ChunkID])
        case ready
        case sent
    }

    private unowned let device: CollectingDevice
    private var state = State.idle
    private var change: Change?
    private var content: ContentReference?
    /// The batch on its way. It survives the death of the device.
    private var batch: ChangeBatch?

    init(_ device: CollectingDevice) { self.device = device }

    private var cloud: CollectionCloud { device.cloud }
    private var id: DeviceID { DeviceID(device.number * 2) }
    private var chunks: [ChunkID] { content.flatMap { cloud.chunks[$0.digest] } ?? [] }
    private var name: String { "uploader \(device.number)" }
    var isIdle: Bool { if case .idle = state { true } else { false } }

    func step(_ random: inout SeededGenerator) throws {
        switch state {
        case .idle: choose(&random)
        case .verifying(let rest): verify(rest, &random)
        case .listed(let safety, let present, let rest): decide(safety, present, rest)
        case .putting(let rest): try put(rest, &random)
        case .ready:
            guard var batch else { return state = .idle }
            if cloud.plan.mistake == .namesUnverifiedEpoch {
                batch.collection = device.log.tree.collectionEpochs().proposed
                self.batch = batch
            }
            cloud.note("\(name) appends")
            // Each append is verified.
            state = try cloud.send(.append(batch), &random) ? .sent : .verifying(chunks)
        case .sent: try device.follow(random.number(1..<6))
        }
    }

    /// Continues from the state on disk.
    func die() {
        if batch != nil { return state = .verifying(chunks) }
        (state, change, content) = (.idle, nil, nil)
    }

    func noteFolded(_ folded: ChangeBatch, _ result: FoldResult) {
        guard let batch, folded.device == id, folded.deviceSequence == batch.deviceSequence else { return }
        // The number of a withdrawn batch was used by its replacement.
        guard !result.isRefused, folded == batch else { return make() }
        if let content, content.digest.words.0 % 2 == 0 { device.local.remove(content) }
        (state, change, content, self.batch) = (.idle, nil, nil, nil)
    }

    // MARK: Work

    private func choose(_ random: inout SeededGenerator) {
        let documents = device.log.documents
        if let document = random.pick(documents), documents.count > 4 || random.chance(25) {
            let conflicts = document.conflicts.map(\.version)
            change =
                conflicts.isEmpty || random.chance(30)
                ? .delete(document.id, base: document.body.content?.reference?.digest)
                : .resolve(document.id, versions: conflicts)
            cloud.note("\(name) deletes or resolves \(document.id.low)")
            return make()
        }
        let content = chooseContent(&random)
        self.content = content
        if let document = random.pick(documents), random.chance(50) {
            change = .edit(
                document.id, base: document.body.content?.reference?.digest, content: .stored(content),
                modified: device.now)
        } else {
            let id = ItemID(high: 7, low: UInt64(random.number(1..<1_000_000)))
            let attributes = ItemAttributes(permissions: 0o644, modified: device.now, created: device.now)
            guard let name = try? ItemName("\(id.low)") else { return }
            change = .create(id, parent: .root, name: name, attributes: attributes, body: .file(.stored(content)))
        }
        cloud.note("\(name) chooses \(content.digest.short)")
        // Bytes are uploaded before the batch is created, or found to be in the cloud when it is verified.
        if random.chance(50) { state = .verifying(chunks) } else { make() }
    }

    /// Returns a new content, or a document's former content: it may be current, in conflict, in the history or gone.
    private func chooseContent(_ random: inout SeededGenerator) -> ContentReference {
        if random.chance(60), let known = random.pick(cloud.contents) {
            if random.chance(30), cloud.isReadable(known) { device.local.insert(known) }
            if device.local.contains(known) || cloud.isReadable(known) { return known }
        }
        let content = cloud.newContent(&random)
        device.local.insert(content)
        return content
    }

    private func make() {
        guard let change else { return state = .idle }
        batch = ChangeBatch(
            device: id, deviceName: name, deviceSequence: device.log.tree.lastSequence(of: id) + 1, time: device.now,
            collection: device.log.tree.collectionEpochs().proposed, changes: [change])
        state = .verifying(chunks)
    }

    // MARK: Verifying

    private func verify(_ rest: [ChunkID], _ random: inout SeededGenerator) {
        guard let id = rest.last else {
            if batch == nil { make() } else { state = .ready }
            return
        }
        let safety = device.safety(&random)
        // Without collections nothing else is asked.
        if device.isKept(id, safety) { return state = .verifying(rest.dropLast()) }
        state = .listed(safety, present: cloud.present(safety.candidates(of: id)), rest)
    }

    private func decide(_ safety: KeySafety, _ present: Set<ChunkKey>, _ rest: [ChunkID]) {
        guard let id = rest.last else { return state = .verifying([]) }
        if device.isSafe(id, present, safety) {
            cloud.note("\(name) relies on \(present.map(\.text).sorted()) as of epoch \(safety.epoch)")
            device.keep(id, epoch: safety.epoch)
            return state = .verifying(rest.dropLast())
        }
        let isHere = content.map(device.local.contains) ?? false
        if isHere || cloud.isReadable(id) { return state = .putting(rest) }
        cloud.note("\(name) withdraws")
        cloud.figures.withdrawnBatches += 1
        (state, change, content, batch) = (.idle, nil, nil, nil)
    }

    private func put(_ rest: [ChunkID], _ random: inout SeededGenerator) throws {
        guard let id = rest.last else { return state = .verifying([]) }
        let epoch = device.safety(&random).epoch
        let key = ChunkKey(id, epoch: cloud.plan.mistake == .putsUnderOldKeys ? 0 : epoch)
        cloud.note("\(name) puts")
        guard try cloud.send(.put(key), &random) else { return state = .verifying(rest) }
        device.keep(id, epoch: epoch)
        state = .verifying(rest.dropLast())
    }
}
