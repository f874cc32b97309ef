import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Attribute rules: fields change independently, within limits")
struct AttributeRuleTests {
    @Test("Changes of different fields by different devices are all kept")
    func merge() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.a, .setAttributes(.sample(1), AttributeChanges(permissions: 0o600)))
        try log.append(TestLog.b, .setAttributes(.sample(1), AttributeChanges(modified: .minute(7))))
        try log.append(
            TestLog.a, .setAttributes(.sample(1), AttributeChanges(extended: ["user.a": [1], "user.b": [2]])))
        try log.append(
            TestLog.b, .setAttributes(.sample(1), AttributeChanges(extended: ["user.a": nil, "user.c": [3]])))
        let attributes = try #require(log.item(1)?.attributes)
        #expect(attributes.permissions == 0o600)
        #expect(attributes.modified == .minute(7))
        #expect(attributes.extended == ["user.b": [2], "user.c": [3]])
    }

    @Test("Permissions are masked to the bits of chmod")
    func permissions() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.a, .setAttributes(.sample(1), AttributeChanges(permissions: 0xFFFF)))
        #expect(log.item(1)?.attributes.permissions == 0o7777)
    }

    @Test("Extended attributes beyond 64 KiB are left out, in the order of their names")
    func limit() throws {
        var log = try TestLog()
        let large = [UInt8](repeating: 1, count: 40_000)
        let extended = ["user.a": large, "user.b": large, "user.c": [1], "": [1], "nul\0": [1]]
        try log.append(
            TestLog.a,
            .create(.sample(1), parent: .root, name: "x", attributes: .sample(extended: extended), body: .folder))
        #expect(log.item(1)?.attributes.extended.keys.sorted() == ["user.a", "user.c"])
        try log.append(
            TestLog.a, .setAttributes(.sample(1), AttributeChanges(extended: ["user.a": nil, "user.b": large])))
        #expect(log.item(1)?.attributes.extended.keys.sorted() == ["user.b", "user.c"])
        #expect((log.item(1)?.attributes.extendedBytes ?? 0) <= ItemAttributes.maximumExtendedBytes)
    }
}
