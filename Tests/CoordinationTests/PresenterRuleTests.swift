import CloudModel
import Coordination
import Testing

/// The rules of `NSFilePresenter`, one test each.
@Suite("Presenter rules")
struct PresenterRuleTests {
    @Test("A read asks to relinquish and to save; withoutChanges does not ask to save; forUploading does")
    func reading() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        scene.read("a.txt")
        #expect(scene.asked(presenter).last == [.relinquishToReader, .saveChanges])
        scene.read("a.txt", .withoutChanges, client: 2)
        #expect(scene.asked(presenter).last == [.relinquishToReader])
        scene.read("a.txt", .forUploading, client: 3)
        #expect(scene.asked(presenter).last == [.relinquishToReader, .saveChanges])
    }

    @Test(
        "Each kind of write asks for what it needs",
        arguments: [
            (nil, [PresenterMessage.relinquishToWriter]), (.moving, [.relinquishToWriter]),
            (.contentIndependentMetadataOnly, [.relinquishToWriter]), (.merging, [.relinquishToWriter, .saveChanges]),
            (.deleting, [.relinquishToWriter, .accommodateDeletion]),
            (.replacing, [.relinquishToWriter, .accommodateDeletion]),
        ] as [(WritingOption?, [PresenterMessage])])
    func writing(option: WritingOption?, messages: [PresenterMessage]) {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        scene.write("a.txt", option)
        #expect(scene.asked(presenter) == [messages])
    }

    @Test("Deleting a folder asks the presenters of everything below it; a plain write asks only its own")
    func descendants() {
        var scene = Scene(FakeTree("f/g/a.txt", "b.txt"))
        let below = scene.present("f/g/a.txt")
        let beside = scene.present("b.txt")
        let plain = scene.write("f")
        #expect(scene.isGranted(plain) && scene.asked(below).isEmpty)
        scene.finish(plain)
        scene.write("f", .deleting)
        #expect(scene.asked(below) == [[.relinquishToWriter, .accommodateDeletion]] && scene.asked(beside).isEmpty)
    }

    @Test("Deleting inside a package asks the presenters of the packages around it about the subitem")
    func subitemDeletion() {
        var scene = Scene(FakeTree("d.pkg/inner.pkg/a.txt"))
        let outer = scene.present("d.pkg")
        let inner = scene.present("d.pkg/inner.pkg")
        let itself = scene.present("d.pkg/inner.pkg/a.txt")
        let key = scene.tree.key("d.pkg/inner.pkg/a.txt")
        scene.write("d.pkg/inner.pkg/a.txt", .deleting)
        for presenter in [outer, inner] {
            #expect(scene.asked(presenter) == [[.relinquishToWriter, .accommodateSubitemDeletion(key)]])
        }
        #expect(scene.asked(itself) == [[.relinquishToWriter, .accommodateDeletion]])
    }

    @Test("A claim inside a package asks every presenter of the package")
    func wholePackage() {
        var scene = Scene(FakeTree("d.pkg/a.txt", "d.pkg/b.txt"))
        let presenters = ["d.pkg", "d.pkg/b.txt"].map { scene.present($0) }
        scene.read("d.pkg/a.txt", .withoutChanges)
        #expect(presenters.allSatisfy { scene.asked($0) == [[.relinquishToReader]] })
    }

    @Test("Presenters are asked when the claim comes first in its queue, not before")
    func inTurn() {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt")
        let presenter = scene.present("a.txt")
        let next = scene.write("a.txt", client: 2)
        #expect(scene.asked(presenter).isEmpty)
        scene.finish(holder)
        #expect(scene.asked(presenter).count == 1 && scene.isWaiting(next))
    }

    @Test("A presenter that relinquished is notified to reacquire after the access, once for each")
    func reacquire() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let claim = scene.write("a.txt")
        scene.answer(presenter)
        #expect(scene.isGranted(claim) && scene.reacquired(presenter) == 0)
        scene.finish(claim)
        #expect(scene.reacquired(presenter) == 1)
    }

    @Test("Only callbacks that a presenter implements are sent")
    func callbacks() {
        var scene = Scene(FakeTree("a.txt"))
        let none = scene.present("a.txt", [])
        let saves = scene.present("a.txt", [.saveChanges])
        let claim = scene.read("a.txt")
        #expect(scene.asked(none).isEmpty && scene.asked(saves) == [[.saveChanges]])
        scene.answer(saves)
        #expect(scene.isGranted(claim))
        scene.change("a.txt")
        #expect(scene.notices(none).isEmpty && scene.notices(saves).isEmpty)
    }

    @Test("A presenter that is removed is no longer waited for")
    func removed() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let claim = scene.write("a.txt")
        scene.send(.unregistered(presenter))
        #expect(scene.isGranted(claim))
        scene.finish(claim)
        #expect(scene.reacquired(presenter) == 0)
    }

    @Test("A nested claim of the same coordinator does not repeat the questions of its outer claim")
    func askedOnce() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let purpose = scene.purpose(1)
        let outer = scene.write("a.txt", .merging, purpose: purpose)
        scene.answer(presenter)
        let inner = scene.read("a.txt", purpose: purpose, inside: .claim(outer))
        #expect(scene.isGranted(inner) && scene.asked(presenter).count == 1)
    }

    @Test("An item is evicted only if all of its presenters agree; one without that callback refuses")
    func eviction() {
        var scene = Scene(FakeTree("a.txt"))
        let willing = scene.present("a.txt")
        let first = scene.request([Access(scene.tree.key("a.txt"), .evicting)])
        #expect(scene.asked(willing) == [[.accommodateEviction]])
        scene.send(.unregistered(willing))
        #expect(scene.isGranted(first))
        scene.finish(first)
        _ = scene.present("a.txt", [.relinquishToWriter])
        let second = scene.request([Access(scene.tree.key("a.txt"), .evicting)])
        #expect(scene.error(second) == .presenterKeepsItem)
    }

    @Test("If a presenter does not reply, the bytes of its item are kept")
    func silentEviction() {
        var scene = Scene(FakeTree("a.txt"))
        _ = scene.present("a.txt")
        let claim = scene.request([Access(scene.tree.key("a.txt"), .evicting)])
        scene.pass(.seconds(10))
        #expect(scene.error(claim) == .presenterKeepsItem)
    }

    @Test("The item's presenters and those of the folders above, at any depth, are notified of a change")
    func change() throws {
        var scene = Scene(FakeTree("f/g/a.txt"))
        let item = try #require(scene.tree.find("f/g/a.txt"))
        let presenters = ["f/g/a.txt", "f/g", "f"].map { scene.present($0) }
        scene.change("f/g/a.txt")
        #expect(scene.notices(presenters[0]) == [.changed])
        #expect(
            scene.notices(presenters[1]) == [.subitemChanged(item)]
                && scene.notices(presenters[2]) == [.subitemChanged(item)]
        )
    }

    @Test(
        "A package presenter without subitem callbacks is notified that the package changed; a folder's is not notified"
    )
    func packageChange() {
        var scene = Scene(FakeTree("d.pkg/a.txt", "f/a.txt"))
        let package = scene.present("d.pkg", [.didChange])
        let folder = scene.present("f", [.didChange])
        scene.change("d.pkg/a.txt")
        scene.change("f/a.txt")
        #expect(scene.notices(package) == [.changed] && scene.notices(folder).isEmpty)
    }

    @Test(
        "Presenters are notified of a change under a claim once, when the claim ends; the claim's own presenter is not")
    func changeUnderClaim() {
        var scene = Scene(FakeTree("a.txt"))
        let own = scene.present("a.txt", client: 1)
        let other = scene.present("a.txt", client: 2, [.didChange])
        let claim = scene.write("a.txt", presenter: own)
        for _ in 0..<3 { scene.change("a.txt", by: claim) }
        #expect(scene.notices(other).isEmpty)
        scene.finish(claim)
        #expect(scene.notices(other) == [.changed] && scene.notices(own).isEmpty)
    }

    @Test("All presenters are notified of versions, also the presenter of the coordinator that made them")
    func versions() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let item = try #require(scene.tree.find("f/a.txt"))
        let version = VersionID(sequence: LogSequence(8), index: 0)
        let own = scene.present("f/a.txt", client: 1)
        let folder = scene.present("f", client: 1)
        scene.write("f/a.txt", presenter: own)
        scene.send(.versionChanged(item, version, .gained))
        #expect(scene.notices(own) == [.version(version, .gained)])
        #expect(scene.notices(folder) == [.subitemVersion(item, version, .gained)])
    }

    @Test("A presenter that implements one of the version callbacks is not sent the others")
    func oneOfVersions() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let item = try #require(scene.tree.find("f/a.txt"))
        let version = VersionID(sequence: LogSequence(8), index: 0)
        let presenter = scene.present("f/a.txt", [.didLoseVersion])
        let folder = scene.present("f", [.subitemDidGainVersion])
        for change in [VersionChange.gained, .lost, .resolved] { scene.send(.versionChanged(item, version, change)) }
        #expect(scene.notices(presenter) == [.version(version, .lost)])
        #expect(scene.notices(folder) == [.subitemVersion(item, version, .gained)])
    }

    @Test("Presenters are notified of the ubiquity attributes that they observe")
    func attributes() throws {
        var scene = Scene(FakeTree("a.txt"))
        let item = try #require(scene.tree.find("a.txt"))
        let some = scene.present("a.txt", observed: UbiquityAttributes(.isUploaded))
        let none = scene.present("a.txt", observed: [])
        scene.send(.attributesChanged(item, [UbiquityAttributes(.isUploaded), UbiquityAttributes(.isUploading)]))
        #expect(
            scene.notices(some) == [.attributesChanged(UbiquityAttributes(.isUploaded))] && scene.notices(none).isEmpty)
    }
}
