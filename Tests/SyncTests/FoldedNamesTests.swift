import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import Testing
import VirtualFileSystem

/// Containers with names compared without case, on a single device.
@Suite("Names without case")
struct FoldedNamesTests {
    private let device: KernellessDevice

    init() throws {
        device = try KernellessDevice()
    }

    private func declare(_ folds: Bool = true) throws {
        try device.files.setFoldsNames(folds, in: device.container.id)
    }

    private var folds: (here: Bool, inLog: Bool) {
        get throws {
            let id = try device.container.id
            return try device.metadata.read {
                (try $0.local.foldsNames(in: id), try $0.remote(in: id).state().foldsNames)
            }
        }
    }

    private var indexed: Int64 {
        get throws {
            try device.metadata.read { try $0.local.foldedNameCount() }
        }
    }

    @Test("no item is made beside one whose name differs in case or composition only")
    func creation() throws {
        try declare()
        try device.save("Caf\u{E9}.txt", "1")
        #expect(throws: Errno(EEXIST)) { try device.save("CAFE\u{301}.TXT", "2") }
        #expect(throws: Errno(EEXIST)) { try device.makeFolder("caf\u{E9}.TXT") }
        #expect(throws: Errno(ENOENT)) { try device.text("caf\u{E9}.txt") }
        #expect(try device.text("Caf\u{E9}.txt") == "1")
        try device.remove("Caf\u{E9}.txt")
        try device.save("CAFE\u{301}.TXT", "2")
        #expect(try device.names() == ["CAFE\u{301}.TXT"])
    }

    @Test("a rename may change the case of its own name, and takes no name that differs from another one in case only")
    func rename() throws {
        try declare()
        try device.save("a", "1")
        try device.rename("a", to: "A")
        #expect(try device.names() == ["A"])
        try device.save("b", "2")
        #expect(throws: Errno(EEXIST)) { try device.rename("b", to: "a") }
        #expect(try device.text("b") == "2" && device.text("A") == "1")
        try device.rename("b", to: "A")
        #expect(try device.names() == ["A"] && device.text("A") == "2")
        let folder = try device.makeFolder("folder")
        try device.rename("A", to: "a", in: folder)
        try device.save("A", "3")
        #expect(throws: Errno(EEXIST)) { try device.save("A", "4", in: folder) }
        #expect(throws: Errno(EEXIST)) { try device.rename("A", to: "A", in: folder) }
        #expect(try device.text("a", in: folder) == "2")
    }

    @Test("containers compare names byte by byte unless they are set otherwise, and keep no index")
    func off() throws {
        try device.save("a", "1")
        try device.save("A", "2")
        #expect(try device.names() == ["A", "a"] && indexed == 0)
    }

    @Test("the declaration precedes what was made after it, however long that rests")
    func order() throws {
        try declare()
        try device.save("a", "1")
        let root = try #require(try device.metadata.read { try $0.local.item(.root, in: device.container.id) })
        try device.save("beside", "2", in: root.node)
        try device.settle()
        #expect(try folds == (true, true))
        #expect(try device.names() == ["a"])
    }

    @Test("a declaration that another device's document precedes in the log is withdrawn on this device")
    func tooLate() throws {
        try declare()
        #expect(try folds == (true, false))
        try device.fold(.file(1, "a", "theirs"), .file(2, "A", "theirs"))
        try device.settle()
        #expect(try folds == (false, false))
        #expect(try device.nextBatch() == nil)
        #expect(try device.names() == ["A", "a"] && indexed == 0)
        try device.save("B", "1")
        try device.save("b", "2")
    }

    @Test("names that were made here before another device's declaration arrived get numbers in the log, and both stay")
    func clash() throws {
        try device.save("a", "1")
        try device.save("A", "2")
        try device.fold(.setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.foldsNames: [1]])))
        #expect(try folds == (true, true))
        #expect(throws: Errno(EEXIST)) { try device.makeFolder("a") }
        #expect(try device.names() == ["A", "a"])
        try device.settle()
        let names = try device.names()
        #expect(names == ["A", "a 2"] || names == ["A 2", "a"], "\(names)")
        let texts = try names.map { try device.text($0) }
        #expect(Set(texts) == ["1", "2"])
    }

    @Test("a name that is given up and taken again in another case keeps its spelling in the log")
    func reused() throws {
        try declare()
        try device.save("a", "1")
        try device.settle()
        try device.remove("a")
        _ = try device.makeFolder("A")
        try device.settle()
        #expect(try device.names() == ["A"])
        #expect(try indexed == 3)
    }
}
