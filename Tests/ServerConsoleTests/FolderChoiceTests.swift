import CloudModel
import ContainerLog
import Foundation
import NIOHTTP1
import ServerSupport
import Testing

/// Tests choosing items in a folder's list, and the sizes in it.
@Suite("Choices and sizes in a folder", .timeLimit(.minutes(10)))
struct FolderChoiceTests {
    private func fields(_ chosen: some Sequence<ItemID>, seen: String) -> String {
        "seen=\(seen)&" + chosen.map { "item=\($0)" }.joined(separator: "&")
    }

    private func seen(_ page: String) throws -> String {
        String(try #require(page.firstMatch(of: /name="seen" value="(\d+)"/)?.1))
    }

    @Test(
        "chosen items of a folder are deleted with everything in them, after a question, and are then recently deleted")
    func delete() async throws {
        try await withServer { server in
            let device = try await server.device()
            let folder = try await device.makeFolder("Folder")
            try await device.write("inside.txt", "inside", in: folder)
            let one = try await device.write("one.txt", "one")
            try await device.write("kept.txt", "kept")
            let session = try await server.session()
            let place = "c/CloudDocs/i/\(ItemID.documents)"
            let list = try await server.page(place, session).text
            #expect(list.contains("value=\"\(one)\"") && list.contains("Delete the chosen"))
            let chosen = fields([folder, one, one], seen: try seen(list))
            let asked = try await server.post("c/CloudDocs/chosen/delete", chosen, from: place, session)
            #expect(asked.status == 200 && asked.text.contains("Delete the 2 chosen items?"), "\(asked.text)")
            #expect(asked.text.contains("1 item in them is deleted with them."))
            #expect(try await device.names() == ["Folder", "kept.txt", "one.txt"], "it was only asked")
            let path = "c/CloudDocs/chosen/delete/confirmed"
            let answer = try await server.post(path, chosen, from: place, session)
            #expect(answer.status == 303 && answer["Location"]?.contains("\(ItemID.documents)?done=deleted") == true)
            #expect(try await device.names() == ["kept.txt"])
            #expect(try await device.item(folder) == nil)
            let deleted = try await server.page("c/CloudDocs/deleted", session).text
            #expect(deleted.contains("one.txt") && deleted.contains("Folder"))
            #expect(try await server.post(path, chosen, from: place, session).status == 404)
        }
    }

    @Test("items changed after the list was shown stay, and the container's own folders cannot be chosen")
    func stale() async throws {
        try await withServer { server in
            let device = try await server.device()
            let folder = try await device.makeFolder("Folder")
            let one = try await device.write("one.txt", "one")
            let session = try await server.session()
            let place = "c/CloudDocs/i/\(ItemID.documents)"
            let chosen = fields([folder, one], seen: try seen(try await server.page(place, session).text))
            try await device.write("later.txt", "later", in: folder)
            let path = "c/CloudDocs/chosen/delete/confirmed"
            #expect(try await server.post(path, chosen, from: place, session).status == 303)
            #expect(try await device.names() == ["Folder"])
            #expect(try await device.names(in: folder) == ["later.txt"])
            let own = try await server.post(path, fields([.documents], seen: "99"), from: place, session)
            #expect(own.status == 400 && own.text.contains("own folders"))
            let root = try await server.page("c/CloudDocs", session).text
            #expect(!root.contains("checkbox"))
        }
    }

    @Test("more items than a page has are refused, and so is none")
    func bounded() async throws {
        try await withServer { server in
            _ = try await server.device()
            let session = try await server.session()
            for action in ["delete", "delete/confirmed", "restore", "purge", "purge/confirmed"] {
                let path = "c/CloudDocs/chosen/\(action)"
                let many = fields((0..<201).map { _ in ItemID.random() }, seen: "9")
                let refused = try await server.post(path, many, from: "devices", session)
                #expect(refused.status == 400 && refused.text.contains("At most 200 items"), "\(action)")
                let none = try await server.post(path, "seen=9", from: "devices", session)
                #expect(none.status == 400 && none.text.contains("Choose at least one"), "\(action)")
            }
        }
    }

    @Test("a folder's row has the size of all documents below it")
    func sizes() async throws {
        try await withServer { server in
            let device = try await server.device()
            let folder = try await device.makeFolder("Folder")
            let inner = try await device.makeFolder("Inner", in: folder)
            _ = try await device.write(ItemName("a"), Array(repeating: 1, count: 1_000), in: folder)
            _ = try await device.write(ItemName("b"), Array(repeating: 2, count: 234), in: inner)
            let session = try await server.session()
            let page = try await server.page("c/CloudDocs/i/\(ItemID.documents)", session).text
            #expect(page.contains("value=\"1234\"") && !page.contains("more than"))
        }
    }

    @Test("the check boxes work with a keyboard alone and without scripts")
    func withoutScript() async throws {
        try await withServer { server in
            let device = try await server.device()
            let one = try await device.write("one.txt", "one")
            try await device.write("two.txt", "two")
            try await Browser.with(script: false) { browser in
                try await browser.open("\(server.url)/")
                try await browser.type("\(try await server.code())", into: "#code")
                try await browser.click("main button")
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(ItemID.documents)")
                try await browser.type(" ", into: "input[value='\(one)']")
                try await browser.screenshot("folder-chosen")
                try await browser.click("button[form=chosen]")
                try await browser.waitFor("Delete the 1 chosen item?")
                try await browser.click("main button.grave")
                try await browser.waitFor("Deleted.")
                #expect(try await device.names() == ["two.txt"])
            }
        }
    }
}
