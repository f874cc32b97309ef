import Basics
import CloudModel
import ContainerLog
import Sync
import Testing

@Suite("The plan for one item")
struct ReconcilerTests {
    private let reconciler = Reconciler()
    private let base: CloudItem
    private let newer: CloudItem

    init() throws {
        base = try .sample(1)
        newer = try .sample(2)
    }

    private func trees(_ remote: CloudItem?, _ synced: CloudItem?, _ local: LocalState?) -> ItemTrees {
        ItemTrees(remote: remote, synced: synced, local: local, isDeparted: false)
    }

    @Test("an item on which all three trees agree needs no action")
    func quiet() {
        #expect(reconciler.plan(trees(base, base, .following(base))) == ItemPlan(agreed: base))
    }

    @Test("an item that is new in the log is shown")
    func insertion() {
        #expect(reconciler.plan(trees(base, nil, nil)) == ItemPlan(follow: [.insert(base)], agreed: base))
    }

    @Test("an item that was deleted in the log is deleted here, unless its bytes are only here")
    func removal() {
        #expect(reconciler.plan(trees(nil, base, .following(base))) == ItemPlan(follow: [.remove], agreed: nil))
        let edited = LocalState.following(base).with { $0.isEdited = true }
        let plan = reconciler.plan(trees(nil, base, edited))
        #expect(plan.follow.isEmpty && plan.needsUpload)
        let open = LocalState.following(base).with { $0.isBeingWritten = true }
        #expect(reconciler.plan(trees(nil, base, open)) == ItemPlan(agreed: base, isPostponed: true))
        var sent = trees(nil, base, .following(base))
        sent.isBeingSent = true
        #expect(reconciler.plan(sent) == ItemPlan(agreed: base, isPostponed: true))
    }

    @Test("a folder that was deleted in the log stays while it has contents")
    func keptFolder() throws {
        let folder = try CloudItem.sample(0, name: "f", kind: .folder)
        let full = LocalState.following(folder).with { $0.hasChildren = true }
        let plan = reconciler.plan(trees(nil, folder, full))
        #expect(plan.follow == [.keepFolder])
        #expect(plan.changes.count == 1)
        #expect(reconciler.plan(trees(nil, folder, .following(folder))).follow == [.remove])
    }

    @Test("a new file is sent once its bytes are in the cloud")
    func creation() {
        let edited = LocalState.following(base).with { $0.isEdited = true }
        #expect(reconciler.plan(trees(nil, nil, edited)).needsUpload)
        let plan = reconciler.plan(trees(nil, nil, .following(base)))
        #expect(
            plan.changes == [
                .create(base.id, parent: base.parent, name: base.name, attributes: base.attributes, body: base.body)
            ])
    }

    @Test(
        "a deletion is sent with the content that was deleted, whatever changed meanwhile, as the log knows where that is now"
    )
    func deletion() {
        let gone = trees(base, base, nil).with { $0.isDeparted = true }
        #expect(reconciler.plan(gone).changes == [.delete(base.id, base: base.digest)])
        let edited = gone.with { $0.remote = newer }
        #expect(reconciler.plan(edited).changes == [.delete(base.id, base: base.digest)])
        // Once the deletion is in the log, the document is back as the log has it.
        #expect(reconciler.plan(trees(newer, newer, nil)).follow == [.insert(newer)])
    }

    @Test("a deletion yields to an item that was restored or written again since, with the same content or as a folder")
    func deletionOfRepeated() throws {
        let folder = try CloudItem.sample(0, name: "f", kind: .folder)
        for item in [base, folder] {
            let gone = trees(item.with { $0.version = VersionID(sequence: LogSequence(9), index: 0) }, item, nil).with {
                $0.isDeparted = true
            }
            let (plan, remote) = (reconciler.plan(gone), try #require(gone.remote))
            #expect(plan.changes.isEmpty && plan.follow == [.forgetDeparture, .insert(remote)])
        }
    }

    @Test("a deletion applies to its content if that lost a conflict, or was kept after the document was deleted")
    func deletionOfLoser() {
        let loser = ConflictVersion(
            version: base.version, content: .stored(.sample(1)), modified: .zero, author: DeviceID(1), authorName: "",
            base: nil)
        let gone = trees(newer.with { $0.conflicts = [loser] }, base, nil).with { $0.isDeparted = true }
        #expect(reconciler.plan(gone).changes == [.delete(base.id, base: base.digest)])
        #expect(reconciler.plan(gone.with { $0.remote = nil }).changes == [.delete(base.id, base: base.digest)])
    }

    @Test("a deletion waits for a pending batch with another change of the item")
    func deletionBehindBatch() {
        let gone = trees(newer, base, nil).with {
            $0.isDeparted = true
            $0.isBeingSent = true
        }
        #expect(reconciler.plan(gone) == ItemPlan(agreed: base))
        #expect(reconciler.plan(gone.with { $0.remote = nil }) == ItemPlan(agreed: base))
    }

    @Test("a newer content replaces a placeholder at once, and local bytes once it is downloaded completely")
    func newerContent() {
        let placeholder = LocalState.following(base, isMaterialised: false)
        #expect(reconciler.plan(trees(newer, base, placeholder)).follow == [.replaceContent(.stored(.sample(2)))])
        let whole = LocalState.following(base)
        #expect(reconciler.plan(trees(newer, base, whole)).follow == [.fetch(.sample(2))])
        #expect(reconciler.plan(trees(newer, base, whole)).agreed?.body == base.body)
        let light = whole.with { $0.evictsOnUpdate = true }
        #expect(reconciler.plan(trees(newer, base, light)).follow == [.replaceContent(.stored(.sample(2)))])
    }

    @Test("a file is not replaced while a program writes it")
    func writing() {
        let open = LocalState.following(base).with { $0.isBeingWritten = true }
        let plan = reconciler.plan(trees(newer, base, open))
        #expect(plan.follow.isEmpty)
        #expect(plan.agreed?.body == base.body)
    }

    @Test("an edit is sent with its base, whatever is in the log by now")
    func edit() {
        let mine = LocalState.following(base).with { $0.content = .sample(3) }
        for remote in [base, newer] {
            let plan = reconciler.plan(trees(remote, base, mine))
            #expect(
                plan.changes.first
                    == .edit(
                        base.id, base: base.digest, content: .stored(.sample(3)), modified: base.attributes.modified))
        }
    }

    @Test("an edit that equals the log's content is sent only if its base is a conflict version")
    func equalEdit() {
        let mine = LocalState.following(newer).with { $0.attributes = base.attributes }
        #expect(reconciler.plan(trees(newer, base, mine)).changes.isEmpty)
        let loser = ConflictVersion(
            version: base.version, content: .stored(.sample(1)), modified: .zero, author: DeviceID(1), authorName: "",
            base: nil)
        let plan = reconciler.plan(trees(newer.with { $0.conflicts = [loser] }, base, mine))
        #expect(plan.changes.count == 1)
    }

    @Test(
        "an item that was shown without being agreed on follows the log's content, and its own is never sent as an edit"
    )
    func adoption() {
        let plan = reconciler.plan(trees(newer, nil, .following(base, isMaterialised: false)))
        #expect(plan.changes.isEmpty)
        #expect(plan.follow == [.replaceContent(.stored(.sample(2)))])
    }

    @Test("a content that waits to be sent and was never agreed on is sent without a base, as its author saw no other")
    func adoptionOfUnsent() {
        let mine = LocalState.following(base).with {
            $0.content = .sample(3)
            $0.isPending = true
        }
        let plan = reconciler.plan(trees(newer, nil, mine))
        #expect(
            plan.changes == [
                .edit(base.id, base: nil, content: .stored(.sample(3)), modified: base.attributes.modified)
            ])
        #expect(plan.follow.isEmpty)
        let edited = mine.with {
            $0.content = nil
            $0.isEdited = true
        }
        let waiting = reconciler.plan(trees(newer, nil, edited))
        #expect(waiting.needsUpload && waiting.follow.isEmpty && waiting.changes.isEmpty)
        #expect(reconciler.plan(trees(newer, waiting.agreed, mine)).changes == plan.changes)
        #expect(reconciler.plan(trees(newer, nil, .following(newer).with { $0.isPending = true })).changes.isEmpty)
    }

    @Test("a new file is announced while its bytes are uploaded, and sent completely afterwards")
    func announces() {
        let edited = LocalState.following(base).with {
            $0.isEdited = true
            $0.content = nil
        }
        let plan = reconciler.plan(trees(nil, nil, edited))
        #expect(plan.changes.isEmpty && plan.needsUpload)
        guard case .create(_, _, let name, _, .file(.announced(let size))) = plan.announcement else {
            Issue.record("announced \(String(describing: plan.announcement))")
            return
        }
        #expect(name == edited.name && size == edited.size)
        let announced = base.with { $0.body = .file(.announced(size: edited.size)) }
        #expect(reconciler.plan(trees(announced, announced, edited)).announcement == nil, "once is enough")
        let uploaded = LocalState.following(base)
        #expect(
            reconciler.plan(trees(announced, announced, uploaded)).changes == [
                .edit(base.id, base: nil, content: .stored(.sample(1)), modified: uploaded.attributes.modified)
            ])
    }

    @Test("an announced size is corrected by the device that announced it; an edit is announced by its base")
    func corrects() throws {
        let grown = LocalState.following(base).with {
            $0.isEdited = true
            $0.content = nil
            $0.size = 99
        }
        let announced = base.with { $0.body = .file(.announced(size: 9)) }
        #expect(
            reconciler.plan(trees(announced, announced, grown)).announcement
                == .edit(base.id, base: nil, content: .announced(size: 99), modified: grown.attributes.modified))
        let digest = try #require(base.digest).bytes
        let announcement = AttributeChanges(extended: [ReservedAttribute.announcedEdit: digest])
        #expect(reconciler.plan(trees(base, base, grown)).announcement == .setAttributes(base.id, announcement))
        let known = base.with { $0.attributes.extended[ReservedAttribute.announcedEdit] = digest }
        #expect(reconciler.plan(trees(known, known, grown)).announcement == nil, "once is enough")
    }

    @Test("an announced file gets its content when it arrives")
    func announced() {
        let announced = base.with { $0.body = .file(.announced(size: 9)) }
        let shown = LocalState.following(announced, isMaterialised: false)
        #expect(reconciler.plan(trees(base, announced, shown)).follow == [.replaceContent(.stored(.sample(1)))])
    }

    @Test("place and attributes are reconciled independently, each towards the side that did not change it")
    func axes() throws {
        let moved = try ItemName("b.txt")
        let remote = base.with { $0.attributes.permissions = 0o600 }
        let local = LocalState.following(base).with { $0.name = moved }
        let plan = reconciler.plan(trees(remote, base, local))
        #expect(plan.changes == [.move(base.id, parent: base.parent, name: moved)])
        #expect(plan.follow == [.setAttributes(remote.attributes)])
        let away = reconciler.plan(trees(base.with { $0.name = moved }, base, .following(base)))
        #expect(away.follow == [.place(parent: base.parent, name: moved)])
    }

    @Test("an attribute that both sides changed is sent, one that only the log changed is shown")
    func attributes() {
        let remote = base.with { $0.attributes.extended = ["user.x": [1], "user.y": [1]] }
        let local = LocalState.following(base).with { $0.attributes.extended = ["user.x": [2]] }
        let plan = reconciler.plan(trees(remote, base, local))
        #expect(plan.changes == [.setAttributes(base.id, AttributeChanges(extended: ["user.x": [2]]))])
        #expect(plan.agreed?.attributes.extended == ["user.y": [1]])
    }
}
