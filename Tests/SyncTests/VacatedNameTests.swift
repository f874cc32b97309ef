import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests which of several files continues a document.
@Suite("Names that documents left, and what takes them")
struct VacatedNameTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    private func set(_ attribute: String, _ value: String = "1", of name: String, in folder: NodeID? = nil) throws {
        try device.files.setExtendedAttribute(
            "user.ubiquity.\(attribute)", to: Array(value.utf8), of: device.node(name, in: folder), mode: .any)
    }

    private func exclude(_ name: String, in folder: NodeID? = nil) throws {
        try set("isExcludedFromSync", of: name, in: folder)
    }

    /// Agreed documents that are not new.
    private func documents(_ names: String...) throws {
        for name in names { try device.save(name, name) }
        try device.settle()
        device.time.advance(by: .seconds(3600))
    }

    private func isInLog(_ name: String) throws -> Bool {
        let id = try device.container.id
        return try device.metadata.read { transaction in
            let tree = transaction.remote(in: id)
            return try tree.children(of: .documents).contains { try tree.item($0)?.name.description == name }
        }
    }

    @Test("a rotated log goes on under its new name, and the new one is another document", arguments: [true, false])
    func rotation(isSlow: Bool) throws {
        try documents("log")
        let id = try #require(try device.row("log")).item
        try device.rename("log", to: "log.1")
        if isSlow { try device.settle() }
        device.time.advance(by: .seconds(1))
        try device.save("log", "new")
        try device.settle()
        #expect(try device.row("log.1")?.item == id)
        #expect(try device.row("log")?.item != id)
        #expect(try device.disagreements("at rest") == [])
    }

    @Test("a program that is slow each time it saves keeps the document's identity, however often it saves")
    func slowSaves() throws {
        try documents("a.doc")
        let row = try #require(try device.row("a.doc"))
        for round in 0..<5 {
            try device.save("a.doc@", "\(round)")
            device.time.advance(by: .seconds(2))
            try device.settle()
            try device.rename("a.doc@", to: "a.doc")
            if round != 2 { try device.settle() }
            device.time.advance(by: .seconds(25))
        }
        try device.settle()
        #expect(try device.row("a.doc")?.item == row.item)
        #expect(try device.row("a.doc")?.attributes.created == row.attributes.created)
        #expect(try device.unrest == [])
        #expect(try device.disagreements("at rest") == [])
    }

    @Test("a document that is renamed, and a new one that is saved there later, are two documents")
    func renamedByPerson() throws {
        try documents("report.doc")
        let id = try #require(try device.row("report.doc")).item
        try device.rename("report.doc", to: "report 2025.doc")
        device.time.advance(by: .seconds(5))
        try device.save(".report.doc.x4Td", "new")
        try device.rename(".report.doc.x4Td", to: "report.doc")
        try device.settle()
        #expect(try device.row("report 2025.doc")?.item == id)
        #expect(try device.row("report.doc")?.item != id)
    }

    @Test("a document that is kept here stays here under each name, until it is included")
    func movedExcluded() throws {
        try documents("secret", "folder")
        try exclude("secret")
        try device.settle()
        try device.rename("secret", to: "secret~")
        try device.rename("secret~", to: "public")
        let folder = try device.makeFolder("d")
        try device.files.rename(
            Array("public".utf8), in: device.documents, to: Array("public".utf8), in: folder, mode: .replace)
        try device.settle()
        let row = try #require(try device.row("public", in: folder))
        #expect(row.exclusion == .byAttribute && !row.isKnown)
        try set("isExcludedFromSync", "0", of: "public", in: folder)
        try device.settle()
        #expect(try device.row("public", in: folder)?.isKnown == true)
        #expect(try device.unrest == [])
    }

    @Test("a document of its own that is renamed over one that is kept here is kept here, and leaves the log")
    func documentOverExcluded() throws {
        try documents("a", "secret")
        try exclude("secret")
        try device.settle()
        try device.rename("a", to: "secret")
        try device.settle()
        #expect(try device.row("secret")?.exclusion == .byAttribute)
        #expect(try !isInLog("a") && !isInLog("secret"))
        #expect(try device.unrest == [])
    }

    @Test("documents that change places through a third name keep what was set on each")
    func swap() throws {
        try documents("a", "b")
        try set("pin", "keep", of: "a")
        let (a, b) = (try #require(try device.row("a")).item, try #require(try device.row("b")).item)
        for (name, other) in [("a", "x"), ("b", "a"), ("x", "b")] { try device.rename(name, to: other) }
        try device.settle()
        #expect(try device.row("b")?.item == a && device.row("a")?.item == b)
        #expect(try device.row("b")?.pin == .keep && device.row("a")?.pin == .inherited)
        #expect(try device.disagreements("at rest") == [])
    }

    @Test("two documents that exchange their names keep what was set on each; what is kept here stays here")
    func exchange() throws {
        try documents("a", "secret")
        try exclude("secret")
        try device.settle()
        device.time.advance(by: .seconds(3600))
        try device.rename("a", to: "secret", mode: .exchange)
        try device.settle()
        #expect(try device.text("a") == "secret" && device.row("a")?.exclusion == .byAttribute)
        #expect(try device.row("secret")?.isKnown == true)
        #expect(try !isInLog("a") && isInLog("secret"))
        #expect(try device.unrest == [])
    }

    @Test("a name is remembered for a day if its document was kept here, and for a minute otherwise")
    func time() throws {
        try documents("a", "b", "c")
        try exclude("a")
        try exclude("b")
        try set("pin", "keep", of: "c")
        for name in ["a", "b", "c"] { try device.remove(name) }
        try device.settle()
        device.time.advance(by: .seconds(61))
        try device.save("c", "new")
        #expect(try device.row("c")?.pin == .inherited)
        device.time.advance(by: .seconds(23 * 3600))
        try device.save("a", "new")
        #expect(try device.row("a")?.exclusion == .byAttribute)
        device.time.advance(by: .seconds(2 * 3600))
        try device.save("b", "new")
        #expect(try device.row("b")?.exclusion == Exclusion.none)
    }

    @Test("the deletion of a paused document waits for a minute, in which a program may save it")
    func pausedDeletion() throws {
        try documents("a")
        let id = try #require(try device.row("a")).item
        try set("isSyncPaused", of: "a")
        try device.remove("a")
        device.time.advance(by: .seconds(2))
        #expect(try device.nextBatch()?.changes.contains { $0.deleted == id } != true)
        device.time.advance(by: .seconds(60))
        try device.settle()
        #expect(try !isInLog("a"))
    }

    @Test("a link that another link replaces stays here", arguments: [true, false])
    func links(isRenamed: Bool) throws {
        func link(_ name: String, _ target: String) throws {
            _ = try device.files.makeSymlink(
                Array(name.utf8), in: device.documents, target: Array(target.utf8), caller: KernellessDevice.caller)
        }
        try link("current", "v1")
        try exclude("current")
        if isRenamed {
            try link("current.new", "v2")
            try device.rename("current.new", to: "current")
        } else {
            try device.remove("current")
            try link("current", "v2")
        }
        try device.settle()
        #expect(try device.row("current")?.exclusion == .byAttribute)
        #expect(try !isInLog("current"))
    }

    @Test(
        "a package passes on what was set on it and in it, however it is saved",
        arguments: ["deletion", "aside", "exchange", "tilde"])
    func packages(way: String) throws {
        let old = try device.makeFolder("d.rtfd")
        for name in ["text", "key"] { try device.save(name, "old", in: old) }
        try device.settle()
        device.time.advance(by: .seconds(3600))
        try set("pin", "keep", of: "d.rtfd")
        try exclude("key", in: old)
        try device.settle()
        func write(_ name: String) throws {
            let folder = try device.makeFolder(name)
            for name in ["text", "key"] { try device.save(name, "new", in: folder) }
        }
        switch way {
        case "deletion":
            for name in ["text", "key"] { try device.remove(name, in: old) }
            try device.files.removeFolder(Array("d.rtfd".utf8), in: device.documents)
            try write("d.rtfd")
        case "aside":
            try write("n.tmp")
            try device.rename("d.rtfd", to: "d-backup.rtfd")
            try device.rename("n.tmp", to: "d.rtfd")
        case "tilde":
            try device.rename("d.rtfd", to: "d.rtfd~")
            try write("d.rtfd")
        default:
            try write("n.rtfd")
            try device.rename("n.rtfd", to: "d.rtfd", mode: .exchange)
        }
        try device.settle()
        let package = try #require(try device.row("d.rtfd"))
        #expect(package.pin == .keep)
        #expect(try device.row("key", in: package.node)?.exclusion == .byAttribute)
        #expect(try device.row("text", in: package.node)?.isKnown == true)
        let id = try device.container.id
        let names = try device.metadata.read { transaction in
            let tree = transaction.remote(in: id)
            return try tree.children(of: package.item).compactMap { try tree.item($0)?.name.description }
        }
        #expect(names == ["text"])
        #expect(try device.unrest == [])
    }

    @Test("a folder that is deleted and created again keeps the documents here that were kept here")
    func folders() throws {
        let old = try device.makeFolder("project")
        try device.save(".env", "secret", in: old)
        try exclude(".env", in: old)
        try device.settle()
        try device.remove(".env", in: old)
        try device.files.removeFolder(Array("project".utf8), in: device.documents)
        try device.settle()
        let new = try device.makeFolder("project")
        try device.save(".env", "secret", in: new)
        try device.settle()
        #expect(try device.row(".env", in: new)?.exclusion == .byAttribute)
    }

    @Test("what its folder keeps here cannot be included alone")
    func excludedFolder() throws {
        let folder = try device.makeFolder("d~")
        try device.save("y", "text", in: folder)
        #expect(throws: Errno(EPERM)) { try set("isExcludedFromSync", "0", of: "y", in: folder) }
        try device.settle()
        #expect(try device.unrest == [])
        try exclude("y", in: folder)
        #expect(throws: Errno(EPERM)) { try set("isExcludedFromSync", "0", of: "y", in: folder) }
    }
}
