import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests folders that are deleted after what was in them has moved out, in the same batch.
@Suite("Folders whose content has moved out")
struct DissolvedFolderTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    private func move(_ name: String, in folder: NodeID? = nil, to new: String) throws {
        try device.files.rename(
            Array(name.utf8), in: folder ?? device.documents, to: Array(new.utf8), in: device.documents, mode: .replace)
    }

    private func expectLog(_ names: [String]) throws {
        try device.settle()
        #expect(try device.names() == names)
        for name in names {
            let row = try #require(try device.row(name))
            #expect(try device.remote(row.item)?.name.description == name)
        }
        #expect(try device.unrest == [])
    }

    @Test("a document takes the name of the folder that it was in")
    func sameName() throws {
        let folder = try device.makeFolder("a")
        try device.save("a", "text", in: folder)
        try device.settle()
        try move("a", in: folder, to: "c")
        try device.files.removeFolder(Array("a".utf8), in: device.documents)
        try move("c", to: "a")
        try expectLog(["a"])
        #expect(try device.text("a") == "text")
    }

    @Test("a folder inside takes the name, and its content with it")
    func innerFolder() throws {
        let folder = try device.makeFolder("a")
        let inner = try device.makeFolder("a", in: folder)
        try device.save("x", "text", in: inner)
        try device.settle()
        try move("a", in: folder, to: "c")
        try device.files.removeFolder(Array("a".utf8), in: device.documents)
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
            // y takes the name of b, which takes that of the folder; x keeps its own.
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
}
