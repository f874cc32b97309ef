import Basics
import DaemonProtocol
import TestSupport
import Testing

@Suite("The file of settings for mounts")
struct MountSettingsTests {
    private func settings(_ text: String, for mount: String = "/home/anna/Family") throws -> MountSettings {
        try MountSettings(parsing: text, name: "settings", for: mount, home: "/home/anna")
    }

    @Test("settings are for all mounts, or for that of their section, which comes first")
    func sections() throws {
        let text = """
            # all
            minimum-free = 5G
            version-days = 7
            device = notebook
            [~/Family]
            minimum-free = 1G
            cloud = https://cloud.example.com
            [/srv/docs/]
            cache-limit = 20G
            """
        let family = try settings(text)
        #expect(family.minimumFree == ByteCount("1G") && family.versionDays == 7 && family.cacheLimit == nil)
        #expect(family.cloud == "https://cloud.example.com" && family.device == "notebook")
        let docs = try settings(text, for: "/srv/docs")
        #expect(docs.minimumFree == ByteCount("5G") && docs.cacheLimit == ByteCount("20G") && docs.cloud == nil)
    }

    @Test(
        "a mistake is named with its line, also in the section of another mount",
        arguments: [
            ("minimum-free = 5G\nport = 80", "line 2"), ("\n\ncloud", "line 3"), ("device =", "line 1"),
            ("version-days = 1\n# x\nversion-days = 2", "line 3"), ("version-count = -1", "line 1"),
            ("[/other]\ncache-limit = much", "line 2"), ("[other]\ndevice = x", "line 2"), ("[]", "line 1"),
            ("cloud = cloud", "line 1"), ("cloud = gopher://x", "line 1"), ("device = a\u{1B}b", "line 1"),
            ("[/x", "line 1"),
        ])
    func mistakes(text: String, line: String) {
        #expect { _ = try settings(text) } throws: { "\($0)".contains("settings, \(line):") }
    }

    @Test("any text is parsed or refused", arguments: 0..<128)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["cloud", "device", " = ", "=", "\n", "[", "]", "#", "/x", "~/", "\u{0}", "é", "\u{301}", "9"]
        let text = (0..<random.number(0..<30)).map { _ in pieces[random.number(0..<pieces.count)] }.joined()
        // Most texts are refused.
        _ = try? settings(text, for: "/x")
    }
}
