import Basics
import CloudModel
import CloudStorage
import ContainerLog
import Maintenance
import TestSupport

/// Carries out the decisions of the real ``CollectionPlan``, a small step at a time, as `CloudCollector` does.
final class SimulatedCollector {
    private enum State {
        case idle
        case decided(CollectionPlan.Action)
        case listing(needed: Set<ChunkID>, last: ChunkKey?)
        case puttingList(CollectionList)
        case appending(CollectionStep, then: CollectionPlan.Event)
        case removing(UInt64, [ChunkKey])
    }

    private unowned let device: CollectingDevice
    private var state = State.idle
    private var plan = CollectionPlan(.requested)
    private var newest: UInt64 = 0
    private var garbage: [ChunkKey] = []
    /// The step on its way. It survives the death of the device.
    private var batch: ChangeBatch?

    init(_ device: CollectingDevice) { self.device = device }

    private var cloud: CollectionCloud { device.cloud }
    private var id: DeviceID { DeviceID(device.number * 2 + 1) }
    private var name: String { "collector \(device.number)" }
    var isIdle: Bool { if case .idle = state { true } else { false } }

    func die() { state = .idle }

    func noteFolded(_ folded: ChangeBatch) {
        guard folded.device == id, folded.deviceSequence == batch?.deviceSequence else { return }
        batch = nil
    }

    func step(_ random: inout SeededGenerator) throws {
        switch state {
        case .idle: try begin(&random)
        case .decided(let action): try carryOut(action)
        case .listing(let needed, let last): list(needed, last, &random)
        case .puttingList(let list): try put(list, &random)
        case .appending(let step, let event): try append(step, event, &random)
        case .removing(let epoch, let keys): try remove(epoch, keys, &random)
        }
    }

    private func handle(_ event: CollectionPlan.Event) { state = .decided(plan.handle(event)) }

    private func begin(_ random: inout SeededGenerator) throws {
        try device.follow()
        if let batch {
            _ = try cloud.send(.append(batch), &random)
            return
        }
        plan = CollectionPlan(.requested)
        let collections = device.log.tree.collections.values.sorted { $0.epoch < $1.epoch }
        handle(.folded(collections, proposed: device.see(), now: device.now))
    }

    private func carryOut(_ action: CollectionPlan.Action) throws {
        cloud.note("\(name): \(action)")
        switch action {
        case .begin(let epoch): state = .appending(.begun(epoch: epoch), then: .began(epoch))
        case .remove(let epoch): state = .removing(epoch, keys(of: epoch))
        case .finish(let epoch): state = .appending(.done(epoch: epoch), then: .finished(epoch))
        case .measure:
            try device.follow()
            newest = device.log.tree.collectionEpochs().proposed
            garbage = []
            state = .listing(needed: cloud.chunks(of: device.log.needs(at: device.now)), last: nil)
        case .propose:
            guard let list = CollectionList(garbage) else { return state = .idle }
            state = .puttingList(list)
        case .end: state = .idle
        }
    }

    // MARK: Proposal

    private func list(_ needed: Set<ChunkID>, _ last: ChunkKey?, _ random: inout SeededGenerator) {
        let page = cloud.page(after: last, limit: random.number(1..<12))
        guard let end = page.last else {
            var tally = CollectionTally()
            (tally.storedChunks, tally.garbageChunks) = (1, UInt64(garbage.count))
            return handle(.measured(tally))
        }
        garbage += page.filter { $0.epoch <= newest && !needed.contains($0.id) }
        state = .listing(needed: needed, last: end)
    }

    private func put(_ list: CollectionList, _ random: inout SeededGenerator) throws {
        let content = cloud.content(of: list)
        guard try cloud.send(.put(ChunkKey(content.digest, epoch: newest)), &random) else { return }
        state = .appending(.proposed(epoch: newest + 1, list: content), then: .proposed)
    }

    /// Appends a step, unless the log has it or a different device proposed that epoch first.
    private func append(
        _ step: CollectionStep, _ event: CollectionPlan.Event, _ random: inout SeededGenerator
    ) throws {
        try device.follow()
        let tree = device.log.tree
        let known = tree.collection(step.epoch)
        switch step {
        case .proposed:
            guard known == nil, tree.collectionEpochs().proposed + 1 == step.epoch else { return settle(step, event) }
        case .begun, .done:
            guard let known, known.phase.rawValue < step.phase.rawValue else { return settle(step, event) }
        }
        let batch =
            self.batch
            ?? ChangeBatch(
                device: id, deviceName: name, deviceSequence: tree.lastSequence(of: id) + 1, time: device.now,
                changes: [.collection(step)])
        self.batch = batch
        _ = try cloud.send(.append(batch), &random)
    }

    private func settle(_ step: CollectionStep, _ event: CollectionPlan.Event) {
        if case .done = step { cloud.figures.doneCollections += 1 }
        _ = device.see()
        handle(event)
    }

    // MARK: Removal

    /// Returns the keys to be removed by the collection, as of the current fold.
    private func keys(of epoch: UInt64) -> [ChunkKey] {
        guard let collection = device.log.tree.collection(epoch), collection.phase == .begun,
            cloud.isReadable(collection.list), let list = cloud.lists[collection.list.digest]
        else { return [] }
        let needed =
            cloud.plan.mistake == .removesNeeded ? [] : cloud.chunks(of: device.log.needs(at: device.now))
        return list.keys.filter { !needed.contains($0.id) }
    }

    private func remove(_ epoch: UInt64, _ keys: [ChunkKey], _ random: inout SeededGenerator) throws {
        guard let key = keys.last else { return handle(.removed(epoch)) }
        cloud.note("\(name) removes")
        if cloud.plan.mistake == .removesOwnEpoch {
            _ = try cloud.send(.remove(ChunkKey(key.id, epoch: epoch)), &random)
        }
        if try cloud.send(.remove(key), &random) { state = .removing(epoch, keys.dropLast()) }
    }
}
