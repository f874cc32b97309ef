import CloudModel
import CloudServer
import ContainerLog
import ServerStorage
import ServerSupport
import Testing

/// Tests how the console lists deletions and restores items.
@Suite("Recently deleted", .timeLimit(.minutes(10)))
struct DeletedPageTests {
    @Test(
        "a folder that was removed with its contents is one line, and is restored complete, beside an item that took its name"
    )
    func folder() async throws {
        try await withServer { server in
            let device = try await server.device()
            let folder = try await device.makeFolder("photos")
            var items: [ItemID] = []
            for number in 1...3 {
                items.append(try await device.write("\(number).jpg", "picture \(number)", in: folder))
            }
            for id in items {
                let digest = try #require(try await device.item(id)?.body.content?.reference?.digest)
                try await device.append(.delete(id, base: digest))
            }
            try await device.append(.delete(folder, base: nil))
            let another = try await device.makeFolder("photos")
            let session = try await server.session()
            let page = try await server.page("c/CloudDocs/deleted", session).text
            #expect(page.contains("Documents/photos") && page.contains("3 items") && page.contains(device.name))
            #expect(page.matches(of: /Restore<\/button>/).count == 1, "\(page)")
            let answer = try await server.post(
                "c/CloudDocs/i/\(folder)/restore", from: "c/CloudDocs/deleted", session)
            #expect(answer.status == 303 && answer["Location"]?.hasSuffix("done=restored") == true)
            #expect(try await device.names() == ["photos", "photos 2"])
            #expect(try await device.names(in: folder) == ["1.jpg", "2.jpg", "3.jpg"])
            #expect(try await device.item(another) != nil)
            let empty = try await server.page("c/CloudDocs/deleted", session).text
            #expect(empty.contains("Nothing was deleted"))
        }
    }

    @Test("the list has what was deleted in the time for which this server keeps it", arguments: [10, 30, 90])
    func retention(days: Int64) async throws {
        try await withServer {
            $0.collection = CollectionPolicy(retention: Retention(days: days))
        } _: { server in
            let device = try await server.device()
            let item = try await device.write("a.txt", "text")
            let content = try #require(try await device.item(item)?.body.content?.reference)
            try await device.append(.delete(item, base: content.digest))
            let session = try await server.session()
            #expect(try await server.page("c/CloudDocs/deleted", session).text.contains("after \(days) days"))
            server.time.advance(by: .seconds((days - 1) * 86_400))
            let later = try await server.session()
            #expect(try await server.page("c/CloudDocs/deleted", later).text.contains("a.txt"))
            server.time.advance(by: .seconds(2 * 86_400))
            let last = try await server.session()
            let page = try await server.page("c/CloudDocs/deleted", last).text
            #expect(page.contains("Nothing was deleted in the last \(days) days"), "\(page)")
        }
    }

    @Test(
        "deleted items are removed for good one by one or all, after a confirmation; those deleted since the page stay"
    )
    func purge() async throws {
        try await withServer { server in
            let device = try await server.device()
            var (items, contents): ([ItemID], [ContentReference]) = ([], [])
            for name in ["a.txt", "b.txt", "c.txt"] {
                let item = try await device.write(name, "text of \(name)")
                items.append(item)
                contents.append(try #require(try await device.item(item)?.body.content?.reference))
            }
            for (item, content) in zip(items, contents).dropLast() {
                try await device.append(.delete(item, base: content.digest))
            }
            let session = try await server.session()
            let confirmation = try await server.page("c/CloudDocs/i/\(items[0])/purge", session).text
            #expect(confirmation.contains("a.txt") && confirmation.contains("1 deleted item"), "\(confirmation)")
            let answer = try await server.post("c/CloudDocs/i/\(items[0])/purge", from: "c/CloudDocs/deleted", session)
            #expect(answer.status == 303 && answer["Location"]?.hasSuffix("done=purged") == true)
            var page = try await server.page("c/CloudDocs/deleted", session).text
            #expect(!page.contains("a.txt") && page.contains("b.txt"))
            let all = try await server.page("c/CloudDocs/deleted/purge", session).text
            let seen = try #require(all.firstMatch(of: /name="seen" value="([0-9]+)"/)?.1)
            try await device.append(.delete(items[2], base: contents[2].digest))
            _ = try await server.post(
                "c/CloudDocs/deleted/purge", "seen=\(seen)", from: "c/CloudDocs/deleted", session)
            page = try await server.page("c/CloudDocs/deleted", session).text
            #expect(!page.contains("b.txt") && page.contains("c.txt"))
        }
    }

    @Test("a document is restored with its content; items that are not deleted, or never existed, are not restored")
    func document() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("a.txt", "text")
            let session = try await server.session()
            for id in [item, ItemID.random()] {
                let answer = try await server.post("c/CloudDocs/i/\(id)/restore", from: "devices", session)
                #expect(answer.status == 404)
            }
            let content = try #require(try await device.item(item)?.body.content?.reference)
            try await device.append(.delete(item, base: content.digest))
            _ = try await server.post("c/CloudDocs/i/\(item)/restore", from: "c/CloudDocs/deleted", session)
            let back = try #require(try await device.item(item)?.body.content?.reference)
            #expect(try await device.bytes(of: back) == Array("text".utf8))
        }
    }
}
