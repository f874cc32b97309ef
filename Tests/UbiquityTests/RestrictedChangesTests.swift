import Basics
import CloudModel
import DaemonProtocol
import Testing

@testable import Ubiquity

@Suite("Changes restricted to a folder")
struct RestrictedChangesTests {
    private func item(_ number: UInt64, _ path: String) throws -> FoundItem {
        FoundItem(
            FoundItem.Details(
                item: number, path: try MountPath(bytes: Array(path.utf8)), kind: .file, contentType: "public.data",
                modified: WireTime(.zero), created: WireTime(.zero), container: "CloudDocs", isInDocuments: true),
            DocumentState(isUploaded: true))
    }

    @Test("an item that enters a folder is added, one that leaves it is removed, and one elsewhere is not reported")
    func folder() throws {
        var changes = RestrictedChanges(QueryRestriction(scopes: ["/no-mount/CloudDocs/a"]), root: "/no-mount")
        let first = try changes.take(
            MetadataFeed.Update(
                added: [item(1, "CloudDocs/a/x"), item(2, "CloudDocs/b/y"), item(3, "CloudDocs/ab")], isGathered: true))
        #expect(first?.added.map(\.item) == [1])
        #expect(first?.isGathered == true)
        let second = try changes.take(
            MetadataFeed.Update(changed: [item(1, "CloudDocs/b/x"), item(2, "CloudDocs/a/y"), item(3, "CloudDocs/ac")]))
        #expect(second?.added.map(\.item) == [2])
        #expect(second?.changed.isEmpty == true)
        #expect(second?.removed.map(\.item) == [1])
        let third = try changes.take(
            MetadataFeed.Update(changed: [item(2, "CloudDocs/a/z")], removed: [item(1, "CloudDocs/b/x")]))
        #expect(third?.changed.map(\.item) == [2])
        #expect(third?.removed.isEmpty == true)
        #expect(try changes.take(MetadataFeed.Update(removed: [item(3, "CloudDocs/ac")])) == nil)
    }

    @Test("without a folder everything is reported, and no state is kept")
    func everywhere() throws {
        var changes = RestrictedChanges(QueryRestriction(), root: "/no-mount")
        let update = try changes.take(MetadataFeed.Update(removed: [item(9, "CloudDocs/never reported")]))
        #expect(update?.removed.count == 1)
    }
}
