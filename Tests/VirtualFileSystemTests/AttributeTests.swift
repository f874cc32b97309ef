import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import Synchronization
import Testing
import VirtualFileSystem

@Suite("Attributes")
struct AttributeTests {
    private let test: KernellessDevice

    init() throws { test = try KernellessDevice() }

    @Test("chmod and utimensat set the requested values, and the time of the change")
    func settings() throws {
        let node = try test.save("a", "text")
        test.time.advance(by: .seconds(10))
        var request = AttributeRequest()
        request.permissions = 0o600
        request.modified = .at(Timestamp(seconds: 12, nanoseconds: 34))
        request.accessed = .now
        let set = try test.files.setAttributes(of: node, request)
        #expect(set.permissions == 0o600)
        #expect(set.modified == Timestamp(seconds: 12, nanoseconds: 34))
        #expect(set.accessed == test.time.now())
        #expect(set.changed == test.time.now())
        #expect(try test.files.attributes(of: node) == set)
    }

    @Test("utimensat of a file that is being written is one transaction, which also records what was written")
    func timesOfOpenFile() throws {
        let (attributes, handle) = try test.create("a")
        defer { test.files.release(handle) }
        try test.write("text", to: handle)
        let writes = test.metadata.writes
        var request = AttributeRequest()
        request.modified = .at(Timestamp(seconds: 12))
        let set = try test.files.setAttributes(of: attributes.node, request)
        #expect(test.metadata.writes == writes + 1)
        #expect(set.modified == Timestamp(seconds: 12) && set.size == 4)
        let row = try #require(try test.row("a"))
        #expect(row.isEdited && row.size == 4 && row.attributes.modified == Timestamp(seconds: 12))
        #expect(row.pendingSince != nil)
        // A later write is recognised.
        try test.write("more text", to: handle)
        #expect(try test.files.attributes(of: attributes.node).size == 9)
        test.files.noteIdleEdits(pause: .zero)
        #expect(try test.row("a")?.size == 9)
    }

    @Test("what the kernel writes to a file while its time is set is recorded")
    func writeDuringTimes() throws {
        let late = Mutex<Int32?>(nil)
        let test = try KernellessDevice(onCall: { call in
            guard call == .commit, let descriptor = late.withLock({ $0.take() }) else { return }
            _ = pwrite(descriptor, "late", 4, 4)
        })
        let (attributes, handle) = try test.create("a")
        try test.write("text", to: handle)
        var request = AttributeRequest()
        request.modified = .at(Timestamp(seconds: 12))
        _ = try test.files.setAttributes(of: attributes.node, request)
        let descriptor = handle.file.descriptor
        late.withLock { $0 = descriptor }
        _ = try test.files.setAttributes(of: attributes.node, request)
        test.files.release(handle)
        let row = try #require(try test.row("a"))
        #expect(row.size == 8 && row.attributes.modified == Timestamp(seconds: 12))
    }

    @Test("a status attribute that is requested again reads nothing until a row changes")
    func repeatedStatus() throws {
        let node = try test.save("a", "text")
        let name = "user.ubiquity.isExcludedFromSync"
        func value() throws -> (text: String, reads: UInt64) {
            try RequestCosts.$isServing.withValue(true) {
                let before = test.metadata.costs[.reads]
                let text = String(decoding: try test.files.extendedAttribute(name, of: node), as: UTF8.self)
                return (text, test.metadata.costs[.reads] - before)
            }
        }
        #expect(try value().text == "0")
        #expect(try value() == ("0", 0))
        try test.files.setExtendedAttribute(name, to: Array("1".utf8), of: node, mode: .any)
        let changed = try value()
        #expect(changed.text == "1" && changed.reads > 0)
        // A failed write changes no row, and a write to another item may change a path or a pin.
        for _ in 1...3 {
            #expect(throws: CancellationError.self) { try test.metadata.write { _ in throw CancellationError() } }
            #expect(try value().text == "1")
        }
        let handle = try test.files.open(node, canWrite: true, truncate: false)
        try test.write("more", to: handle)
        #expect(try test.files.extendedAttribute("user.ubiquity.isUploaded", of: node) == Array("0".utf8))
        test.files.release(handle)
        try test.files.removeFile(Array("a".utf8), in: test.documents)
        #expect(throws: Errno(ENOENT)) { try test.files.extendedAttribute(name, of: node) }
    }

    @Test("a state that is requested within a write transaction is not kept")
    func statusWhileWriting() throws {
        let node = try test.save("a", "text")
        try test.metadata.write { transaction in
            var item = try #require(try transaction.local.item(node))
            item.isPaused = true
            try transaction.local.update(item)
            // Another connection: it sees the rows before this transaction.
            #expect(try !test.files.status(of: node).isPaused)
            #expect(test.metadata.snapshot == nil)
        }
        #expect(try test.files.status(of: node).isPaused)
    }

    /// Returns the result of a request, and how many read transactions it took.
    private func counting<T>(_ request: () throws -> T) throws -> (shown: T, reads: UInt64) {
        try RequestCosts.$isServing.withValue(true) {
            let before = test.metadata.costs[.reads]
            return (try request(), test.metadata.costs[.reads] - before)
        }
    }

    @Test("a folder's attributes need no read after a change of its entries, and are those of its row after any write")
    func folderAfterChange() throws {
        let documents = test.documents
        func attributes() throws -> (shown: NodeAttributes, reads: UInt64) {
            try counting { try test.files.attributes(of: documents) }
        }
        func expectRow(_ shown: NodeAttributes) throws {
            let row = try #require(try test.metadata.read { try $0.local.item(documents) })
            #expect(shown.modified == row.attributes.modified && shown.changed == row.changed)
        }
        func rename(_ old: String, _ from: NodeID, _ new: String, _ into: NodeID) throws {
            try test.files.rename(Array(old.utf8), in: from, to: Array(new.utf8), in: into, mode: .replace)
        }
        let folder = try test.makeFolder("f")
        let changes: [() throws -> Void] = [
            { test.files.release(try test.create("a").handle) },
            { try rename("a", documents, "b", documents) },
            { try rename("b", documents, "b", folder) },
            { try rename("b", folder, "c", documents) },
            { try test.files.removeFile(Array("c".utf8), in: documents) },
        ]
        for change in changes {
            let before = try attributes().shown
            try change()
            let after = try attributes()
            #expect(after.reads == 0 && after.shown.changed >= before.changed)
            try expectRow(after.shown)
        }
        var request = AttributeRequest()
        request.permissions = 0o700
        _ = try test.files.setAttributes(of: documents, request)
        #expect(try attributes().shown.permissions == 0o700)
        #expect(throws: CancellationError.self) {
            try test.metadata.write { transaction in
                try transaction.local.touch(documents, at: Timestamp(seconds: 1))
                throw CancellationError()
            }
        }
        try expectRow(try attributes().shown)
    }

    @Test("stat and open of a file that was just written or read need no transaction")
    func afterWriting() throws {
        let node = try test.save("a", "text")
        for _ in 1...2 {
            let (shown, reads) = try counting {
                test.files.release(try test.files.open(node, canWrite: false, truncate: false))
                return try test.files.attributes(of: node)
            }
            #expect(shown.size == 4 && reads == 0)
        }
        var request = AttributeRequest()
        request.permissions = 0o600
        _ = try test.files.setAttributes(of: node, request)
        #expect(try test.files.attributes(of: node).permissions == 0o600)
    }

    @Test("truncate shortens and extends a file that is not open")
    func truncate() throws {
        let node = try test.save("a", "text")
        var request = AttributeRequest()
        request.size = 2
        #expect(try test.files.setAttributes(of: node, request).size == 2)
        #expect(try test.text("a") == "te")
        request.size = 4
        #expect(try test.files.setAttributes(of: node, request).size == 4)
        #expect(try test.text("a") == "te\0\0")
    }

    @Test("extended attributes of a document are set, listed and removed as setxattr(2) specifies")
    func extended() throws {
        let node = try test.save("a", "text")
        let files = test.files
        try files.setExtendedAttribute("user.colour", to: [1], of: node, mode: .create)
        #expect(throws: Errno(EEXIST)) {
            try files.setExtendedAttribute("user.colour", to: [2], of: node, mode: .create)
        }
        #expect(throws: Errno(ENODATA)) {
            try files.setExtendedAttribute("user.other", to: [2], of: node, mode: .replace)
        }
        #expect(try files.extendedAttribute("user.colour", of: node) == [1])
        #expect(try files.extendedAttributeNames(of: node) == ["user.colour"])
        try files.removeExtendedAttribute("user.colour", of: node)
        #expect(throws: Errno(ENODATA)) { try files.extendedAttribute("user.colour", of: node) }
        #expect(throws: Errno(EOPNOTSUPP)) {
            try files.setExtendedAttribute("security.capability", to: [1], of: node, mode: .any)
        }
    }

    @Test("a document's status can be read as attributes, and is not listed")
    func status() throws {
        let node = try test.save("a", "text")
        let value = try test.files.extendedAttribute("user.ubiquity.isUploaded", of: node)
        #expect(String(decoding: value, as: UTF8.self) == "0")
        #expect(try test.files.extendedAttributeNames(of: node).isEmpty)
        #expect(throws: Errno(EINVAL)) {
            try test.files.setExtendedAttribute("user.ubiquity.isUploded", to: [], of: node, mode: .any)
        }
    }

    @Test("a fact can be set to another value only if it is settable", arguments: DocumentFact.allCases)
    func settable(fact: DocumentFact) throws {
        let node = try test.save("a", "text")
        func set(_ value: String) throws {
            try test.files.setExtendedAttribute(fact.attributeName, to: Array(value.utf8), of: node, mode: .any)
        }
        if fact.isSettable {
            try set("1")
            #expect(try test.files.extendedAttribute(fact.attributeName, of: node) == Array("1".utf8))
            #expect(throws: Errno(EINVAL)) { try set("2") }
        } else {
            #expect(throws: Errno(EPERM)) { try set("another value") }
        }
    }
}
