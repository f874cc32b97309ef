import Basics
import CloudModel
import DeviceSupport
import LocalMetadata
import Testing

@testable import Maintenance

@Suite("The folder of recovered documents")
struct RecoveredTreeTests {
    @Test("a document that is recovered again is below the newer recovery only")
    func again() throws {
        let device = try KernellessDevice()
        let container = try #require(try device.metadata.read { try $0.container(named: .cloudDocs) })
        func row(_ name: String, _ kind: LocalKind) throws -> LocalItem {
            LocalItem(
                container: container.id, item: .random(), parent: container.node, name: try ItemName(name), kind: kind,
                attributes: ItemAttributes(permissions: 0o755, modified: .zero, created: .zero), changed: .zero)
        }
        var tree = try RecoveredTree(device.metadata, device.content, label: "newer", now: .zero)
        let above = try ["CloudDocs", "Documents", "Recovered", "older", "CloudDocs", "Documents", "d"].map {
            try row($0, .folder)
        }
        try tree.addEmpty(try row("a", .symlink), below: above)
        try tree.addEmpty(try row("b", .symlink), below: Array(above.prefix(2)))
        var folder = device.documents
        for name in ["Recovered", "newer", "CloudDocs", "Documents"] {
            folder = try device.node(name, in: folder)
        }
        #expect(try device.names(in: folder).sorted() == ["b", "d"])
        #expect(try device.names(in: device.node("d", in: folder)) == ["a"])
    }
}
