import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests folders deleted after their contents have moved out, in the same batch.
@Suite("Folders whose content has moved out")
struct DissolvedFolderTests {
    private let device: KernellessDevice
    /// Follows the first device's entries in order.
    private let follower: KernellessDevice

    init() throws {
        device = try KernellessDevice()
        follower = try KernellessDevice(id: DeviceID(8))
    }

    private func move(_ name: String, in folder: NodeID? = nil, to new: String, _ target: NodeID? = nil) throws {
        try device.files.rename(
            Array(name.utf8), in: folder ?? device.documents, to: Array(new.utf8), in: target ?? device.documents,
            mode: .replace)
    }

    private func removeFolder(_ name: String, in folder: NodeID? = nil) throws {
        try device.files.removeFolder(Array(name.utf8), in: folder ?? device.documents)
    }

    private func send() throws {
        while let batch = try device.nextBatch() {
            for each in [device, follower] {
                try each.fold(batch)
                try LogFollower(each.context).followUnsettled(in: each.container)
            }
        }
    }

    private func settle() throws {
        try device.finishUploads()
        try send()
    }

    private func expectLog(_ names: [String]) throws {
        try settle()
        for each in [device, follower] {
            #expect(try each.names() == names)
            for name in names {
                let row = try #require(try each.row(name))
                #expect(try each.remote(row.item)?.name.description == name)
            }
            #expect(try each.unrest == [])
            #expect(try each.disagreements("") == [])
        }
        #expect(try follower.nextBatch() == nil)
    }

    @Test("a document takes the name of the folder that it was in")
    func sameName() throws {
        let folder = try device.makeFolder("a")
        try device.save("a", "text", in: folder)
        try settle()
        try move("a", in: folder, to: "c")
        try removeFolder("a")
        try move("c", to: "a")
        try expectLog(["a"])
        #expect(try device.text("a") == "text")
    }

    @Test("a folder inside takes the name, and its content with it")
    func innerFolder() throws {
        let folder = try device.makeFolder("a")
        let inner = try device.makeFolder("a", in: folder)
        try device.save("x", "text", in: inner)
        try settle()
        try move("a", in: folder, to: "c")
        try removeFolder("a")
        try move("c", to: "a")
        try expectLog(["a"])
        #expect(try device.text("x", in: inner) == "text")
    }

    @Test("documents from folders inside of it take its name and other names, whichever moved first")
    func deep() throws {
        for order in [["x", "y"], ["y", "x"]] {
            let device = try KernellessDevice()
            let folder = try device.makeFolder("a")
            let inner = try device.makeFolder("inner", in: folder)
            try device.save("x", "one", in: inner)
            try device.save("y", "two", in: folder)
            try device.save("z", "gone", in: inner)
            try device.save("b", "three")
            try device.settle()
            for name in order {
                let parent = name == "x" ? inner : folder
                try device.files.rename(
                    Array(name.utf8), in: parent, to: Array("\(name)1".utf8), in: device.documents, mode: .replace)
            }
            try device.remove("z", in: inner)
            try device.files.removeFolder(Array("inner".utf8), in: folder)
            try device.files.removeFolder(Array("a".utf8), in: device.documents)
            // y takes the name of b, which takes the folder's; x keeps its own.
            try device.rename("b", to: "a")
            try device.rename("y1", to: "b")
            try device.settle()
            #expect(try device.names() == ["a", "b", "x1"])
            #expect(try device.text("a") == "three" && device.text("b") == "two" && device.text("x1") == "one")
            for name in ["a", "b", "x1"] {
                let row = try #require(try device.row(name))
                #expect(try device.remote(row.item)?.name.description == name)
            }
            #expect(try device.unrest == [])
        }
    }

    @Test("a document that is edited on its way out leaves the folder before its bytes are in the cloud")
    func edited() throws {
        let folder = try device.makeFolder("a")
        try device.save("x", "text", in: folder)
        try settle()
        try move("x", in: folder, to: "c")
        try device.edit("c", "changed")
        try removeFolder("a")
        try send()
        for each in [device, follower] { #expect(try each.names() == ["c"]) }
        try expectLog(["c"])
        #expect(try device.text("c") == "changed")
    }

    @Test("a new folder that takes the content takes the name, too", arguments: [1, 3])
    func newFolder(count: Int) throws {
        let folder = try device.makeFolder("a")
        for number in 0..<count { try device.save("\(number)", "text \(number)", in: folder) }
        try settle()
        let new = try device.makeFolder("b")
        for number in 0..<count { try move("\(number)", in: folder, to: "\(number)", new) }
        try removeFolder("a")
        try move("b", to: "a")
        try expectLog(["a"])
        for each in [device, follower] {
            #expect(try each.names(in: each.node("a")) == (0..<count).map(String.init))
        }
    }

    @Test("a folder from inside, whose own folders were deleted, takes the name")
    func folderFromInside() throws {
        let folder = try device.makeFolder("a")
        let middle = try device.makeFolder("middle", in: folder)
        let inner = try device.makeFolder("inner", in: middle)
        try device.save("x", "text", in: inner)
        try device.save("y", "other", in: middle)
        try settle()
        try move("inner", in: middle, to: "c")
        try move("y", in: middle, to: "y", inner)
        try removeFolder("middle", in: folder)
        try removeFolder("a")
        try move("c", to: "a")
        try expectLog(["a"])
        for each in [device, follower] { #expect(try each.names(in: each.node("a")) == ["x", "y"]) }
    }

    @Test("a folder whose document waits for its package waits with it, and gives up its name")
    func package() throws {
        let folder = try device.makeFolder("a")
        try device.save("x", "text", in: folder)
        let package = try device.makeFolder("p.app")
        try device.save("y", "whole", in: package)
        try settle()
        try device.edit("y", "not in the cloud yet", in: package)
        try move("x", in: folder, to: "x", package)
        try removeFolder("a")
        _ = try device.files.makeSymlink(
            Array("a".utf8), in: device.documents, target: Array("p.app".utf8), caller: KernellessDevice.caller)
        try send()
        let shown = try #require(try follower.row("p.app"))
        #expect(try follower.names(in: shown.node) == ["y"])
        #expect(try follower.row("a")?.kind == .symlink)
        #expect(try follower.names().count == 3)
        try expectLog(["a", "p.app"])
        #expect(try follower.names(in: shown.node) == ["x", "y"])
    }

    @Test("a deleted folder does not wait for what moved into a folder whose sync is paused: it is kept")
    func paused() throws {
        let folder = try device.makeFolder("a")
        let other = try device.makeFolder("b")
        try device.save("x", "text", in: folder)
        try settle()
        try device.files.setPaused(true, of: other)
        try move("x", in: folder, to: "x", other)
        try removeFolder("a")
        try settle()
        for each in [device, follower] { #expect(try each.names() == ["a", "b"]) }
        let left = try device.metadata.read { try $0.pending.unpausedTotal() }
        #expect(left == 0)
        #expect(try device.text("x", in: other) == "text")
        try device.files.setPaused(false, of: other)
        try settle()
        #expect(try follower.names(in: follower.node("b")) == ["x"])
    }

    @Test("a deleted folder does not wait for what another device moved into it")
    func movedInto() throws {
        _ = try device.makeFolder("a")
        try device.save("x", "text")
        try settle()
        let (folder, document) = try (device.row("a"), device.row("x"))
        let (a, x) = (try #require(folder).item, try #require(document).item)
        try removeFolder("a")
        for each in [device, follower] { try each.fold(.move(x, parent: a, name: ItemName("x"))) }
        try settle()
        #expect(try device.unrest == [])
        #expect(try follower.names() == ["a"])
        #expect(try device.names() == ["a"])
        #expect(try device.text("x", in: device.node("a")) == "text")
    }

    @Test("deletions in a folder of a package that was replaced are sent with the whole package")
    func replacedFolder() throws {
        let package = try device.makeFolder("p.app")
        let old = try device.makeFolder("d", in: package)
        for name in ["x", "y"] { try device.save(name, "old", in: old) }
        try settle()
        let new = try device.makeFolder("n")
        try device.save("z", "new", in: new)
        try device.files.rename(
            Array("n".utf8), in: device.documents, to: Array("d".utf8), in: package, mode: .exchange)
        for name in ["x", "y"] { try device.remove(name, in: old) }
        try removeFolder("n")
        try send()
        #expect(try follower.names(in: follower.node("d", in: follower.node("p.app"))) == ["x", "y"])
        try settle()
        for each in [device, follower] {
            let shown = try each.node("p.app")
            #expect(try each.names(in: shown) == ["d"])
            #expect(try each.names(in: each.node("d", in: shown)) == ["z"])
            #expect(try each.unrest == [])
        }
    }

    @Test("deletions in a folder of a package that was replaced are set aside with the package")
    func replacedFolderAside() throws {
        let package = try device.makeFolder("p.app")
        let old = try device.makeFolder("d", in: package)
        for name in ["x", "y"] { try device.save(name, "old", in: old) }
        try settle()
        let row = try device.row("x", in: old)
        let x = try #require(row).item
        let new = try device.makeFolder("n")
        try device.save("z", "new", in: new)
        try device.files.rename(
            Array("n".utf8), in: device.documents, to: Array("d".utf8), in: package, mode: .exchange)
        for name in ["x", "y"] { try device.remove(name, in: old) }
        try removeFolder("n")
        for each in [device, follower] { try each.fold(.edit(x, from: "old", to: "theirs")) }
        try settle()
        for each in [device, follower] {
            #expect(try each.names().count == 2)
            #expect(try each.names(in: each.node("d", in: each.node("p.app"))) == ["x", "y"])
            let copy = try each.node(#require(try each.names().first { $0 != "p.app" }))
            #expect(try each.names(in: copy) == ["d"] && each.names(in: each.node("d", in: copy)) == ["z"])
        }
    }

    @Test("in a package set aside, a name deleted in the original is that of a new file")
    func renamedAside() throws {
        let package = try device.makeFolder("p.app")
        for name in ["a", "b"] { try device.save(name, name, in: package) }
        try settle()
        let a = try #require(try device.row("a", in: package)).item
        try device.remove("a", in: package)
        for each in [device, follower] { try each.fold(.delete(a, base: ContentReference.of("a").digest)) }
        let copy = try device.node(#require(try device.names().first { $0 != "p.app" }))
        try device.files.rename(Array("b".utf8), in: copy, to: Array("a".utf8), in: copy, mode: .replace)
        #expect(try device.row("a", in: copy)?.item != a)
        try settle()
        for each in [device, follower] {
            #expect(try each.names(in: each.node("p.app")) == ["b"])
            let copy = try each.node(#require(try each.names().first { $0 != "p.app" }))
            #expect(try each.names(in: copy) == ["a"] && each.row("a", in: copy)?.content == .of("b"))
            #expect(try each.unrest == [])
        }
    }

    @Test("a folder that another device keeps, because something in it does not sync, gives its name back")
    func keptElsewhere() throws {
        let folder = try device.makeFolder("f")
        try device.save("b.txt", "text", in: folder)
        try settle()
        try follower.save("b.txt~", "local", in: follower.node("f"))
        let new = try device.makeFolder("new")
        try move("b.txt", in: folder, to: "b.txt", new)
        try device.edit("b.txt", "changed", in: new)
        try removeFolder("f")
        try move("b.txt", in: new, to: "f")
        try settle()
        while let batch = try follower.nextBatch() {
            for each in [device, follower] {
                try each.fold(batch)
                try LogFollower(each.context).followUnsettled(in: each.container)
            }
        }
        for each in [device, follower] {
            #expect(try each.names() == ["f", "f 2", "new"])
            #expect(try each.row("f")?.kind == .file)
            #expect(try each.unrest == [])
        }
        #expect(try follower.names(in: follower.node("f 2")) == ["b.txt~"])
    }
}
