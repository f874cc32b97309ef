import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
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
