import Basics
import CloudModel
import ContainerLog
import Foundation
import HTTPCloud
import ServerSupport
import Testing

/// Tests the console in Chromium, with a real server and with devices that speak to it as real ones do.
@Suite("The console in a browser", .serialized, .timeLimit(.minutes(5)))
struct BrowserTests {
    private func signIn(_ browser: Browser, _ server: TestServer) async throws {
        try await browser.open("\(server.url)/")
        try await browser.type("\(try await server.code())", into: "#code")
        try await browser.click("main button")
        try await browser.waitFor("CloudDocs")
    }

    /// Creates a document in conflict: two devices change it at the same time.
    private func conflict(_ name: String, _ one: TestDevice, _ other: TestDevice) async throws -> ItemID {
        let now = SystemTime().now().adding(.seconds(-60))
        let item = try await one.write(name, "first", modified: now)
        let base = try await one.item(item)?.body.content?.reference
        try await one.edit(item, "from the laptop", base: base, modified: now.adding(.seconds(1)))
        try await other.edit(item, "from the desktop, newer", base: base, modified: now.adding(.seconds(2)))
        return item
    }

    @Test("the console signs in, browses containers and folders, and shows names as text, never as markup")
    func browse() async throws {
        try await withServer { server in
            let device = try await server.device()
            let folder = try await device.makeFolder("Letters")
            try await device.write("to the bank.txt", "Dear bank", in: folder)
            try await device.write("<img src=x onerror=document.title='stolen'>.txt", "x")
            try await device.write("\" onmouseover=\"x\u{202E}fdp.exe", "x")
            _ = try await device.write(ItemName(bytes: Array("caf".utf8) + [0xE9]), Array("latin".utf8))
            try await Browser.with { browser in
                try await browser.open("\(server.url)/console/")
                try await browser.screenshot("sign-in")
                try await signIn(browser, server)
                try await browser.screenshot("containers")
                try await browser.click("main a")
                try await browser.waitFor("Documents")
                try await browser.click("tbody a")
                try await browser.waitFor("<img src=x onerror=document.title='stolen'>.txt")
                let text = try await browser.text("main")
                #expect(text.contains("caf\u{FFFD}"))
                #expect(!text.contains("\u{202E}"))
                #expect(try await browser.run("return document.title") == "Documents – Ubiquity")
                #expect(try await browser.count("main img, [onmouseover]") == 0)
                try await browser.screenshot("folder")
                try await browser.click("tbody a")
                try await browser.waitFor("to the bank.txt")
                try await browser.click("tbody a")
                try await browser.waitFor("9 B")
                try await browser.screenshot("file")
            }
        }
    }

    @Test("a download has the bytes of the document")
    func download() async throws {
        try await withServer { server in
            let device = try await server.device()
            let bytes = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
            let item = try await device.write(ItemName("film.bin"), bytes)
            try await Browser.with { browser in
                try await signIn(browser, server)
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(item)")
                let link = try await browser.run("return document.querySelector('a.primary').getAttribute('href')")
                let path = "c/CloudDocs/i/\(item)/content/\(link.split(separator: "/").last ?? "")"
                let cookie = try #require(try await browser.cookie("ubiquity-console"))
                let answer = try await server.page(path, "ubiquity-console=\(cookie)")
                #expect(answer.body == bytes)
                let fetched = try await browser.run(
                    "const a = await fetch(document.querySelector('a.primary').href); return (await a.arrayBuffer()).byteLength"
                )
                #expect(fetched == "\(bytes.count)")
            }
        }
    }

    @Test("a document deleted in the console is deleted on a device")
    func delete() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("old.txt", "old")
            try await device.write("new.txt", "new")
            try await Browser.with { browser in
                try await signIn(browser, server)
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(item)")
                try await browser.click("a.grave")
                try await browser.waitFor("Delete “old.txt”?")
                try await browser.screenshot("delete")
                try await browser.click("main button.grave")
                try await browser.waitFor("Deleted.")
                #expect(try await device.names() == ["new.txt"])
            }
        }
    }

    @Test("a conflict is resolved for all devices: one version is kept, or all, each as a document")
    func resolve() async throws {
        try await withServer { server in
            let (laptop, desktop) = (try await server.device("laptop"), try await server.device("desktop"))
            let first = try await conflict("report.txt", laptop, desktop)
            let second = try await conflict("notes.txt", laptop, desktop)
            try await Browser.with { browser in
                try await signIn(browser, server)
                try await browser.screenshot("conflict-mark")
                try await browser.open("\(server.url)/console/c/CloudDocs/conflicts")
                try await browser.screenshot("conflicts")
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(first)")
                try await browser.screenshot("conflict")
                try await browser.click("tbody tr:nth-child(2) button")
                try await browser.waitFor("The conflict is resolved")
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(second)")
                try await browser.click("button[value=both]")
                try await browser.waitFor("The conflict is resolved")
                for device in [laptop, desktop] {
                    let kept = try #require(try await device.item(first))
                    #expect(kept.conflicts.isEmpty)
                    let content = try #require(kept.body.content?.reference)
                    #expect(try await device.bytes(of: content) == Array("from the laptop".utf8))
                    #expect(try await device.names() == ["notes 2.txt", "notes.txt", "report.txt"])
                }
            }
        }
    }

    @Test("a revoked device has no access any more, and the page says so")
    func revoke() async throws {
        try await withServer { server in
            let device = try await server.device("lost phone")
            try await Browser.with { browser in
                try await signIn(browser, server)
                try await browser.open("\(server.url)/console/devices")
                try await browser.screenshot("devices")
                try await browser.click(
                    "a[href='devices/\(device.number)/revoke'], a[href$='/\(device.number)/revoke']")
                try await browser.click("main button.grave")
                try await browser.waitFor("access ended")
                await #expect(throws: (any Error).self) { try await device.backend.containers() }
            }
        }
    }

    @Test("the page shows changes of a device without a reload")
    func live() async throws {
        try await withServer { server in
            let device = try await server.device()
            try await device.write("first.txt", "1")
            try await Browser.with { browser in
                try await signIn(browser, server)
                try await browser.open("\(server.url)/console/c/CloudDocs/i/\(ItemID.documents)")
                try await browser.run("window.marker = 'same page'")
                try await device.write("second.txt", "2")
                try await browser.waitFor("second.txt")
                #expect(try await browser.run("return window.marker") == "same page")
            }
        }
    }

    @Test("every page works without scripts")
    func withoutScript() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("old.txt", "old")
            try await device.write("new.txt", "new")
            try await Browser.with(script: false) { browser in
                try await signIn(browser, server)
                try await browser.click("main a")
                try await browser.click("tbody a")
                try await browser.waitFor("old.txt")
                try await browser.click("a[href$='\(item)']")
                try await browser.click("a.grave")
                try await browser.click("main button.grave")
                try await browser.waitFor("Deleted.")
                #expect(try await device.names() == ["new.txt"])
                try await browser.open("\(server.url)/console/transfers")
                try await browser.waitFor("uploads")
                try await browser.click("header button")
                try await browser.waitFor("Sign-in code")
            }
        }
    }

    @Test("the page fits a phone: nothing is wider than the screen", arguments: [false, true])
    func phone(_ isDark: Bool) async throws {
        try await withServer { server in
            let (laptop, desktop) = (try await server.device("laptop"), try await server.device("desktop"))
            let item = try await conflict("a report with quite a long name, as people give them.txt", laptop, desktop)
            try await laptop.write(String(repeating: "w", count: 200), "wide")
            try await Browser.with(width: 390, height: 800, dark: isDark) { browser in
                try await signIn(browser, server)
                for path in [
                    "", "c/CloudDocs/i/\(ItemID.documents)", "c/CloudDocs/i/\(item)", "c/CloudDocs/storage", "devices",
                    "transfers", "links", "security",
                ] {
                    try await browser.open("\(server.url)/console/\(path)")
                    let wide = try await browser.run("return document.documentElement.scrollWidth - innerWidth")
                    #expect(Int(wide) ?? 1 <= 0, "\(path) is \(wide) pixels too wide")
                    let name =
                        path.split(separator: "/").last.map {
                            $0.count == 32 ? ($0.hasPrefix("0") ? "folder" : "file") : String($0)
                        } ?? "home"
                    try await browser.screenshot("phone-\(isDark ? "dark-" : "")\(name)")
                }
            }
        }
    }

    @Test("a passkey is added and used to sign in, with the browser's own authenticator")
    func passkey() async throws {
        try await withServer { server in
            _ = try await server.device()
            let server = server.onLocalhost
            try await Browser.with { browser in
                try await browser.addAuthenticator()
                try await browser.open("\(server.url)/")
                try await browser.type("\(try await server.code())", into: "#code")
                try await browser.click("main button.primary")
                try await browser.waitFor("CloudDocs")
                try await browser.open("\(server.url)/console/security")
                try await browser.screenshot("security")
                try await browser.type("Laptop", into: "#passkey-name")
                try await browser.click("form.passkey button")
                try await browser.waitFor("The passkey is added.")
                try await browser.screenshot("passkey")
                try await browser.click("header button")
                try await browser.waitFor("Sign-in code")
                try await browser.click("#passkey")
                try await browser.waitFor("CloudDocs")
            }
        }
    }
}
