import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Sync
import TestSupport
import Testing

/// Plans random triples of trees until they agree, by following each plan and folding its sent changes.
@Suite("Plans of random trees")
struct ReconcilerPropertyTests {
    private static let count = 4000

    @Test(
        "plans settle in few rounds, drop no bytes that only this device has, and replace no content that it never saw")
    func rest() throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ UInt64(Self.count)) {
            var random = SeededGenerator(seed: seed)
            var pair = try ModelPair(&random)
            for round in 0...ModelPair.rounds {
                let plan = Reconciler().plan(pair.trees)
                let takesBytes = plan.follow.contains { $0 == .remove || isReplacement($0) }
                try #require(!takesBytes || pair.trees.local?.isEdited != true, "seed \(seed): \(plan)")
                if plan.changes.isEmpty, plan.follow.isEmpty, !plan.needsUpload { break }
                try #require(round < ModelPair.rounds, "seed \(seed) finds no rest: \(plan)")
                try pair.perform(plan)
            }
            try #require(pair.missing.isEmpty, "seed \(seed): \(pair.missing)")
        }
    }

    private func isReplacement(_ action: FollowAction) -> Bool {
        if case .replaceContent = action { true } else { false }
    }
}

/// A log and a device with a shared file.
private struct ModelPair {
    static let rounds = 8
    var trees: ItemTrees
    private var log = DictionaryTree()
    /// The contents required in the log at the end: those the device has not sent, and those it has not seen.
    private var needed: Set<ContentReference> = []
    private let item: CloudItem
    private var sequence: UInt64 = 0

    var missing: Set<ContentReference> {
        let item = log.item(item.id).flatMap { $0.isDeleted ? nil : $0 }
        let kept = [item?.body.content] + (item?.conflicts ?? []).map { $0.content }
        return needed.subtracting(kept.compactMap { $0?.reference })
    }

    init(_ random: inout SeededGenerator) throws {
        item = try .sample(1)
        try ContainerReducer.initialise(&log, foldsNames: false)
        var remote: CloudItem? = random.chance(80) ? item : nil
        if random.chance(40) { remote?.body = .file(.stored(.sample(2))) }
        if random.chance(30) { remote?.name = try ItemName("b.txt") }
        if random.chance(30) { remote?.attributes.permissions = 0o600 }
        var local: LocalState? = random.chance(80) ? .following(item, isMaterialised: random.chance(50)) : nil
        if random.chance(30) { local?.isEdited = true }
        if local?.isEdited == true { local?.content = nil }
        if local?.isEdited == false, random.chance(30) { local?.content = .sample(3) }
        if let row = local, row.isEdited || row.content != item.body.content?.reference { local?.isPending = true }
        if random.chance(30) { local?.name = try ItemName("c.txt") }
        if random.chance(30) { local?.attributes.extended = ["user.x": [1]] }
        trees = ItemTrees(
            remote: remote, synced: random.chance(90) ? item : nil, local: local,
            isDeparted: local == nil && random.chance(70))
        if let remote { log.put(remote) }
        // A device that shows a sent state has agreed on it.
        if trees.synced == nil, local?.isPending == false { trees.remote = nil }
        if trees.remote == nil {
            log = try Self.empty()
            // The agreed state was in the log, and is deleted now.
            if let synced = trees.synced { log.put(synced.with { $0.isDeleted = true }) }
        }
        if let new = trees.remote?.body.content?.reference, new != trees.synced?.body.content?.reference {
            needed.insert(new)
        }
        if let local, local.isPending { needed.insert(local.content ?? .sample(4)) }
    }

    private static func empty() throws -> DictionaryTree {
        var tree = DictionaryTree()
        try ContainerReducer.initialise(&tree, foldsNames: false)
        return tree
    }

    /// Performs a plan as a device does: follows, uploads, and then appends the batch and folds it.
    mutating func perform(_ plan: ItemPlan) throws {
        for action in plan.follow { follow(action) }
        trees.synced = plan.agreed
        if let remote = trees.remote, plan.follow.contains(where: isDownload) {
            trees.synced?.body = remote.body
            trees.synced?.attributes.modified = remote.attributes.modified
        }
        trees.local?.isPending = plan.needsUpload || !plan.changes.isEmpty
        if plan.needsUpload {
            trees.local?.isEdited = false
            trees.local?.content = .sample(4)
        }
        guard !plan.changes.isEmpty else { return }
        sequence += 1
        let batch = ChangeBatch(
            device: DeviceID(1), deviceName: "mine", deviceSequence: sequence, time: Timestamp(seconds: 2_000_000_000),
            changes: plan.changes)
        _ = try ContainerReducer().fold(batch, at: log.state().sequence.next, into: &log)
        trees.remote = log.item(item.id).flatMap { $0.isDeleted ? nil : $0 }
        for change in plan.changes { confirm(change) }
    }

    private func isDownload(_ action: FollowAction) -> Bool {
        if case .fetch = action { true } else { false }
    }

    private mutating func follow(_ action: FollowAction) {
        switch action {
        case .insert(let remote): trees.local = .following(remote, isMaterialised: false)
        case .place(let parent, let name):
            trees.local?.parent = parent
            trees.local?.name = name
        case .setAttributes(let attributes): trees.local?.attributes = attributes
        case .replaceContent(let content): show(content)
        case .fetch(let reference): show(.stored(reference))
        case .remove: trees.local = nil
        case .keepFolder: break
        case .forgetDeparture: trees.isDeparted = false
        }
    }

    private mutating func show(_ content: FileContent) {
        trees.local?.content = content.reference
        trees.local?.size = content.size
        if let time = trees.remote?.attributes.modified { trees.local?.attributes.modified = time }
    }

    private mutating func confirm(_ change: Change) {
        if case .delete = change {
            trees.synced = nil
            trees.isDeparted = false
            return
        }
        guard var synced = trees.synced ?? trees.remote else { return }
        switch change {
        case .create(_, let parent, let name, let attributes, let body):
            synced.parent = parent
            synced.name = name
            synced.attributes = attributes
            synced.body = body
        case .edit(_, _, let content, let modified):
            synced.body = .file(content)
            synced.attributes.modified = modified
        case .move(_, let parent, let name):
            synced.parent = parent
            synced.name = name
        case .setAttributes(_, let changes):
            if let permissions = changes.permissions { synced.attributes.permissions = permissions }
            for (name, value) in changes.extended { synced.attributes.extended[name] = value }
        case .delete, .resolve, .setValue, .collection, .raiseRules: break
        }
        trees.synced = synced
    }
}
