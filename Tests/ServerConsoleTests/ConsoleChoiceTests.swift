import CloudModel
import CloudProtocol
import CloudServer
import ContainerLog
import Foundation
import NIOHTTP1
import ServerSupport
import Testing

/// Tests a person's work in the console with earlier versions, links and several items at once.
@Suite("Versions, links and choices in the console", .timeLimit(.minutes(10)))
struct ConsoleChoiceTests {
    @Test("an earlier version is current again on every device, and the one before becomes an earlier version")
    func version() async throws {
        try await withServer { server in
            let device = try await server.device()
            let id = try await device.write("a.txt", "first")
            let first = try #require(try await device.item(id))
            try await device.edit(id, "second", base: first.body.content?.reference)
            let second = try #require(try await device.item(id))
            let session = try await server.session()
            let place = "c/CloudDocs/i/\(id)"
            #expect(try await server.page(place, session).text.contains("\(first.version)/restore"))
            let path = "\(place)/versions/\(first.version)/restore"
            let stale = try await server.post(path, "seen=\(first.version)", from: place, session)
            #expect(stale.status >= 400, "the page was out of date")
            #expect(try await device.item(id)?.version == second.version)
            let answer = try await server.post(path, "seen=\(second.version)", from: place, session)
            #expect(answer.status == 303, "\(answer.text)")
            let item = try #require(try await device.item(id))
            let content = try #require(item.body.content?.reference)
            #expect(try await device.bytes(of: content) == Array("first".utf8) && item.conflicts.isEmpty)
            #expect(try await server.page(place, session).text.contains("\(second.version)/restore"))
        }
    }

    @Test("a document is published from its page, to anyone with the link or also the password, and withdrawn")
    func publish() async throws {
        try await withServer { server in
            let device = try await server.device()
            let id = try await device.write("a.txt", "published")
            let version = try #require(try await device.item(id)?.version)
            let session = try await server.session()
            let place = "c/CloudDocs/i/\(id)"
            for fields in ["days=0", "days=400", "days=x", "days=9223372036854775807"] {
                let refused = try await server.post(
                    "\(place)/publish", "seen=\(version)&\(fields)", from: place, session)
                #expect(refused.status == 400, "\(fields)")
            }
            let page = try await server.post(
                "\(place)/publish", "seen=\(version)&days=7&password=", from: place, session
            ).text
            let path = String(try #require(page.firstMatch(of: /href="[.\/]*(\/p\/\w+)"/)?.1, "\(page)"))
            #expect(try await server.request(.GET, path).text == "published")
            let locked = try await server.post(
                "\(place)/publish", "seen=\(version)&days=7&password=secret", from: place, session
            ).text
            let other = String(try #require(locked.firstMatch(of: /href="[.\/]*(\/p\/\w+)"/)?.1))
            #expect(try await server.request(.GET, other).text.contains("A password is needed"))
            let links = try await server.page("links", session).text
            let number = try #require(links.firstMatch(of: /links\/([0-9]+)\/withdraw/)?.1)
            _ = try await server.post("links/\(number)/withdraw", from: "links", session)
            #expect(try await server.request(.GET, path).status == 404)
        }
    }

    @Test("several deleted items are restored, or removed for good, with one form; two of one name get two names")
    func chosen() async throws {
        try await withServer { server in
            let device = try await server.device()
            var items: [ItemID] = []
            for name in ["same.txt", "same.txt", "b.txt", "c.txt", "d.txt"] {
                let id = try await device.write(name, "text \(items.count)")
                let content = try #require(try await device.item(id)?.body.content?.reference)
                try await device.append(.delete(id, base: content.digest))
                items.append(id)
            }
            let session = try await server.session()
            let place = "c/CloudDocs/deleted"
            func fields(_ chosen: some Sequence<ItemID>) -> String {
                chosen.map { "item=\($0)" }.joined(separator: "&")
            }
            #expect(try await server.post("c/CloudDocs/chosen/restore", from: place, session).status == 400)
            let answer = try await server.post(
                "c/CloudDocs/chosen/restore", fields(items[0...2] + items[0...0]), from: place, session)
            #expect(answer.status == 303, "\(answer.text)")
            #expect(try await device.names() == ["b.txt", "same 2.txt", "same.txt"])
            let asked = try await server.post("c/CloudDocs/chosen/purge", fields(items[3...3]), from: place, session)
            #expect(asked.text.contains("1 deleted item") && asked.text.contains("value=\"\(items[3])\""))
            #expect(try await server.page(place, session).text.contains("c.txt"), "it was only asked")
            _ = try await server.post("c/CloudDocs/chosen/purge/confirmed", fields(items[3...3]), from: place, session)
            let rest = try await server.page(place, session).text
            #expect(!rest.contains("c.txt") && rest.contains("d.txt"))
        }
    }

    @Test("the rows of the storage table add up to its total")
    func storage() async throws {
        try await withServer { server in
            let device = try await server.device()
            let id = try await device.write("a.txt", "first")
            let first = try await device.item(id)?.body.content?.reference
            try await device.edit(id, "second, longer", base: first)
            let gone = try await device.write("b.txt", "deleted")
            try await device.append(.delete(gone, base: try await device.item(gone)?.body.content?.reference?.digest))
            let page = try await server.page("c/CloudDocs/storage", try await server.session()).text
            let table = try #require(page.firstMatch(of: /(?s)Counts against the quota.*?<\/table>/)?.0)
            let sizes = table.matches(of: /class="number"><data value="([0-9]+)"/).compactMap { UInt64($0.1) }
            #expect(sizes.count == 7 && sizes.dropLast().reduce(0, +) == sizes.last, "\(sizes)")
            #expect(sizes.prefix(3).allSatisfy { $0 > 0 }, "\(sizes)")
            #expect(page.matches(of: /<caption/).count == page.matches(of: /<table/).count)
        }
    }

    @Test("a new sign-in code is shown in the complete command with the server's address, and a button copies it")
    func command() async throws {
        try await withServer { server in
            _ = try await server.device()
            let session = try await server.session()
            let page = try await server.post("devices/code", "scope=full&expires=", from: "devices", session).text
            #expect(page.contains("ubiquity login \(server.url) --code "), "\(page)")
            try await Browser.with { browser in
                try await browser.open("\(server.url)/console/sign-in")
                try await browser.type(try await server.code().description, into: "#code")
                try await browser.click("button.primary")
                try await browser.waitFor("Containers", in: "body")
                try await browser.open("\(server.url)/console/devices")
                try await browser.click("#add ~ form button")
                try await browser.waitFor("On the device:")
                try await browser.screenshot("code")
                try await browser.click("button[data-copy]")
                try await browser.waitFor("Copied")
            }
        }
        try await withServer(configure: { $0.publicURL = "https://cloud.example.org/below" }) { server in
            _ = try await server.device()
            let session = try await server.session()
            let page = try await server.post("devices/code", "scope=full&expires=", from: "devices", session).text
            #expect(page.contains("ubiquity login https://cloud.example.org/below --code "))
        }
    }

    @Test("times are in the zone of the browser, and in UTC, and say so, without scripts")
    func times() async throws {
        try await withServer { server in
            let device = try await server.device()
            let modified = Date.now
            let id = try await device.write("a.txt", "text")
            let session = try await server.session()
            let page = try await server.page("c/CloudDocs/i/\(id)", session).text
            #expect(page.contains("(UTC)") && page.contains("<time datetime="))
            try await Browser.with { browser in
                try await browser.open("\(server.url)/console/sign-in")
                try await browser.type(try await server.code().description, into: "#code")
                try await browser.click("button.primary")
                try await browser.waitFor("Containers", in: "body")
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(id)")
                let shown = try await browser.text("main")
                let local = DateFormatter()
                local.dateFormat = "yyyy-MM-dd"
                #expect(shown.contains(local.string(from: modified)) && !shown.contains("(UTC)"), "\(shown)")
                try await browser.screenshot("file")
            }
        }
    }
}
