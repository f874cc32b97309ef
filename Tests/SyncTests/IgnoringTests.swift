import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests the effect of ignore files on a device's items. `IgnoreFileTests` cover the patterns.
@Suite("Ignore files on a device")
struct IgnoringTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    private func ignore(_ text: String, in folder: NodeID? = nil) throws {
        if try device.row(IgnoreFile.name, in: folder) == nil {
            try device.save(IgnoreFile.name, text, in: folder)
        } else {
            try device.edit(IgnoreFile.name, text, in: folder)
        }
    }

    /// Does the device's delayed work after a change of the patterns.
    private func includeAgain() { device.files.includeAgain(pause: .zero) }

    private func exclusion(_ name: String, in folder: NodeID? = nil) throws -> Exclusion {
        try #require(try device.row(name, in: folder)).exclusion
    }

    /// Whether the log has a local item.
    private func isInLog(_ name: String, in folder: NodeID? = nil) throws -> Bool {
        try device.remote(try #require(try device.row(name, in: folder)).item) != nil
    }

    // MARK: New items

    @Test("a new item that a pattern matches stays on the device, and so does what is in such a folder")
    func new() throws {
        try ignore("*.o\n/build/\n")
        let build = try device.makeFolder("build")
        let source = try device.makeFolder("source")
        for (name, folder) in [("a.o", device.documents), ("b.o", source), ("x", build), ("build", source)] {
            try device.save(name, "text", in: folder)
        }
        try device.settle()
        #expect(try exclusion("a.o") == .byPattern && exclusion("b.o", in: source) == .byPattern)
        #expect(try exclusion("build") == .byPattern && exclusion("x", in: build) == .own)
        #expect(try exclusion("build", in: source) == .none && isInLog("build", in: source))
        #expect(try isInLog(IgnoreFile.name))
        for name in ["a.o", "build"] { #expect(try !isInLog(name)) }
        #expect(try device.unrest == [])
    }

    @Test("patterns concern documents only: neither what is beside Documents nor what is in a package")
    func elsewhere() throws {
        try ignore("*.txt\n")
        let container = try device.container.node
        try device.save(IgnoreFile.name, "*", in: container)
        try device.save("a.txt", "text", in: container)
        let package = try device.makeFolder("a.rtfd")
        try device.save(IgnoreFile.name, "*", in: package)
        try device.save("TXT.txt", "text", in: package)
        #expect(try exclusion("a.txt", in: container) == .none)
        #expect(try exclusion("TXT.txt", in: package) == .none)
        try ignore("*.rtfd\n")
        #expect(try exclusion("a.rtfd") == .byPattern && exclusion("TXT.txt", in: package) == .own)
    }

    @Test("an ignore file in a folder counts below it, unless the folder is excluded")
    func nested() throws {
        let folder = try device.makeFolder("folder")
        try ignore("*.log\n")
        try ignore("!keep.log\n", in: folder)
        for name in ["keep.log", "other.log"] {
            try device.save(name, "text", in: folder)
            try device.save(name, "text")
        }
        #expect(try exclusion("keep.log", in: folder) == .none && exclusion("keep.log") == .byPattern)
        #expect(try exclusion("other.log", in: folder) == .byPattern)
        try ignore("folder\n*.log\n")
        #expect(try exclusion("folder") == .byPattern && exclusion("keep.log", in: folder) == .own)
        #expect(try exclusion(IgnoreFile.name, in: folder) == .own)
        try ignore("*.log\n")
        // The ignore file of the folder has an effect once the folder is included.
        for _ in 1...2 { includeAgain() }
        #expect(try exclusion("folder") == .none && exclusion("keep.log", in: folder) == .none)
        #expect(try exclusion("other.log", in: folder) == .byPattern)
    }

    // MARK: Changes of the patterns

    @Test("a pattern excludes what was not sent yet; what is in the log stays there, with its edits")
    func tracked() throws {
        try device.save("sent.log", "one")
        try device.settle()
        try device.save("new.log", "text")
        try ignore("*.log\n")
        #expect(try exclusion("new.log") == .byPattern)
        #expect(try device.row("new.log")?.pendingSince == nil)
        try device.edit("sent.log", "two")
        try device.settle()
        let row = try #require(try device.row("sent.log"))
        #expect(row.exclusion == .none)
        #expect(try device.remote(row.item)?.body.content?.reference == .of("two"))
        #expect(try device.unrest == [])
    }

    @Test("a folder of which the log has a part stays in the log, and new items in it stay on the device")
    func partlySent() throws {
        let build = try device.makeFolder("build")
        try device.save("sent", "text", in: build)
        try device.settle()
        let other = try device.makeFolder("tmp")
        try device.rename("build", to: "build", in: other)
        try ignore("tmp/\nbuild/\n")
        try device.save("new", "text", in: build)
        try device.settle()
        #expect(try exclusion("tmp") == .none && exclusion("build", in: other) == .none)
        #expect(try isInLog("sent", in: build))
        #expect(try exclusion("new", in: build) == .byPattern)
        #expect(try device.unrest == [])
    }

    @Test("when a pattern is removed, or its file, what it excluded is uploaded; what an attribute excludes is not")
    func removed() throws {
        try ignore("*.o\nbuild\n")
        let build = try device.makeFolder("build")
        try device.save("x", "text", in: build)
        for name in ["a.o", "b.o", "c"] { try device.save(name, "text") }
        try device.files.setExtendedAttribute(
            "user.ubiquity.isExcludedFromSync", to: [UInt8(ascii: "1")], of: device.node("c"), mode: .any)
        try ignore("b.o\n")
        includeAgain()
        try device.settle()
        #expect(try isInLog("a.o") && isInLog("x", in: build))
        #expect(try exclusion("b.o") == .byPattern && exclusion("c") == .byAttribute)
        try device.remove(IgnoreFile.name)
        includeAgain()
        try device.settle()
        #expect(try isInLog("b.o"))
        #expect(try exclusion("c") == .byAttribute && !isInLog("c"))
        #expect(try device.unrest == [])
    }

    @Test("patterns that an editor saves under another name count once the file has its name")
    func renamedFile() throws {
        try device.save("patterns", "*.o\n")
        try device.save("a.o", "text")
        #expect(try exclusion("a.o") == .none)
        try device.rename("patterns", to: IgnoreFile.name)
        #expect(try exclusion("a.o") == .byPattern)
        try device.rename(IgnoreFile.name, to: "patterns")
        device.time.advance(by: .seconds(1))
        device.files.noteIdleEdits(pause: .zero)
        #expect(try exclusion("a.o") == .byPattern, "an editor may be saving it")
        device.time.advance(by: .seconds(1))
        device.files.noteIdleEdits(pause: .zero)
        #expect(try exclusion("a.o") == .none)
    }

    @Test("a file over a limit has no effect, and the device says which")
    func limits() throws {
        try device.save("a.o", "text")
        try ignore("*.o\n" + String(repeating: "x\n", count: IgnoreFile.maximumPatterns))
        #expect(try exclusion("a.o") == .none)
        #expect(device.files.ignoreProblems.map(\.problem) == [.hasTooManyPatterns])
        try ignore(String(repeating: "#", count: IgnoreFile.maximumSize + 1))
        #expect(device.files.ignoreProblems.map(\.problem) == [.isTooLarge])
        try ignore("*.o\n")
        #expect(try exclusion("a.o") == .byPattern && device.files.ignoreProblems.isEmpty)
    }

    @Test("an attribute cannot include what a pattern excludes")
    func attribute() throws {
        try ignore("*.o\n")
        let node = try device.save("a.o", "text")
        #expect(throws: Errno(EPERM)) {
            try device.files.setExtendedAttribute(
                "user.ubiquity.isExcludedFromSync", to: [UInt8(ascii: "0")], of: node, mode: .any)
        }
        let reason = try #require(try device.files.status(of: node).ignoreReason)
        #expect(reason.pattern.line == 1 && reason.file.map(\.description).last == IgnoreFile.name)
    }

    // MARK: Renames

    @Test("a document that is moved to an excluded name leaves the log, and returns with another name")
    func moved() throws {
        try ignore("private/\n*.bak\n")
        let folder = try device.makeFolder("private")
        try device.save("a", "text")
        try device.settle()
        let item = try #require(try device.row("a")).item
        try device.rename("a", to: "a", in: folder)
        try device.settle()
        #expect(try device.remote(item) == nil)
        #expect(try exclusion("a", in: folder) == .own && device.text("a", in: folder) == "text")
        try device.files.rename(
            Array("a".utf8), in: folder, to: Array("b".utf8), in: device.documents, mode: .replace)
        try device.settle()
        #expect(try isInLog("b"))
        #expect(try device.unrest == [])
    }

    @Test(
        "a document in the log that a pattern matches keeps its identity when it is saved, also under another such name"
    )
    func savedTracked() throws {
        try device.save("a.log", "one")
        try device.settle()
        let item = try #require(try device.row("a.log")).item
        try ignore("*.log\n")
        try device.save("new", "two")
        try device.rename("new", to: "a.log")
        try device.settle()
        #expect(try device.row("a.log")?.item == item)
        #expect(try device.remote(item)?.body.content?.reference == .of("two"))
        try device.remove("a.log")
        try device.save("a.log", "three")
        try device.settle()
        #expect(try device.row("a.log")?.item == item, "the deletion was not sent yet")
        try device.rename("a.log", to: "b.log")
        try device.settle()
        #expect(try device.row("b.log")?.item == item && device.remote(item)?.name.description == "b.log")
        try device.remove("b.log")
        try device.settle()
        try device.save("b.log", "four")
        #expect(try exclusion("b.log") == .byPattern, "a deletion that was sent ends it")
        try device.settle()
        #expect(try device.unrest == [])
    }

    @Test("a backup of an editor that a pattern excludes leaves the document its identity")
    func backup() throws {
        try ignore("*.bak\n")
        try device.save("a", "one")
        try device.settle()
        let item = try #require(try device.row("a")).item
        try device.rename("a", to: "a.bak")
        try device.save("a", "two")
        try device.settle()
        #expect(try device.row("a")?.item == item)
        #expect(try exclusion("a.bak") == .byPattern && device.text("a.bak") == "one")
        #expect(try device.unrest == [])
    }

    @Test("when a folder is renamed, patterns with slashes are compared with the new paths")
    func movedFolder() throws {
        try ignore("/docs/*.pdf\n")
        let folder = try device.makeFolder("text")
        try device.save("a.pdf", "text", in: folder)
        #expect(try exclusion("a.pdf", in: folder) == .none)
        try device.rename("text", to: "docs")
        #expect(try exclusion("a.pdf", in: folder) == .byPattern)
        try device.rename("docs", to: "text")
        includeAgain()
        #expect(try exclusion("a.pdf", in: folder) == .none)
    }

    // MARK: From elsewhere

    @Test("an ignore file from elsewhere is downloaded without a request, and is not evicted")
    func arrives() throws {
        try device.fold(.file(1, IgnoreFile.name, "*.o"))
        let row = try #require(try device.row(IgnoreFile.name))
        #expect(row.wanted == DownloadPriority.ignoreFile)
        var whole = row
        whole.presence = .whole
        #expect(EvictionRefusal(whole, isOpen: false, isKept: false) == .isIgnoreFile)
    }

    @Test("while the bytes of a new ignore file are not here, nothing below it is included")
    func unknown() throws {
        let folder = try device.makeFolder("folder")
        try ignore("*.o\n")
        try device.save("a.o", "text", in: folder)
        try device.save("b.o", "text")
        try device.settle()
        let id = try #require(try device.row("folder")).item
        try device.fold(.file(1, IgnoreFile.name, "!x", in: id))
        try device.remove(IgnoreFile.name)
        includeAgain()
        #expect(try exclusion("a.o", in: folder) == .byPattern && exclusion("b.o") == .none)
        try device.remove(IgnoreFile.name, in: folder)
        includeAgain()
        #expect(try exclusion("a.o", in: folder) == .none)
    }

    @Test("a folder of the log that is excluded here is shown, and what was in it here stays here")
    func folderArrives() throws {
        try ignore("build\n")
        let build = try device.makeFolder("build")
        let inner = try device.makeFolder("inner", in: build)
        try device.save("a", "mine", in: build)
        try device.save("b", "mine", in: inner)
        try device.settle()
        try device.fold(.folder(1, "build"), .file(2, "theirs", "text", in: .sample(1)))
        try device.settle()
        #expect(try device.row("build")?.item == .sample(1) && exclusion("build") == .none)
        #expect(try device.row("build")?.node == build)
        #expect(try device.names(in: build) == ["a", "inner", "theirs"])
        #expect(try exclusion("a", in: build) == .byPattern && !isInLog("a", in: build))
        #expect(try exclusion("inner", in: build) == .byPattern && exclusion("b", in: inner) == .own)
        #expect(try exclusion("theirs", in: build) == .none)
        try device.remove(IgnoreFile.name)
        includeAgain()
        try device.settle()
        #expect(try isInLog("a", in: build) && isInLog("b", in: inner))
        #expect(try device.unrest == [])
    }

    @Test("an excluded file gives its name to one of the log, and is not uploaded under its own new name")
    func nameArrives() throws {
        try ignore("secret\n")
        try device.save("secret", "mine")
        try device.fold(.file(1, "secret", "theirs"))
        #expect(try device.row("secret")?.item == .sample(1))
        try ignore("secret\nother\n")
        includeAgain()
        try device.settle()
        #expect(try exclusion("secret 2") == .own && !isInLog("secret 2"))
        #expect(try device.text("secret 2") == "mine")
    }
}
