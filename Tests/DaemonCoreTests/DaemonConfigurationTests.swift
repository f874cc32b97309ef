import Basics
import DaemonCore
import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("The configuration of a daemon")
struct DaemonConfigurationTests {
    private let surroundings = DaemonSurroundings(
        paths: StandardPaths(home: "/home/u", environment: [:], userID: 1000), currentDirectory: "/here",
        hostName: "laptop")

    private func resolve(_ change: (inout DaemonOptions) -> Void = { _ in }, settings: DaemonSettings? = nil)
        throws -> DaemonConfiguration
    {
        var options = DaemonOptions(mount: "docs/")
        change(&options)
        return try options.resolve(settings: settings, in: surroundings)
    }

    @Test("settings that are not given are taken from the environment")
    func defaults() throws {
        let configuration = try resolve()
        #expect(configuration.mountPoint == "/here/docs")
        #expect(configuration.cloud == .directory(path: "/home/u/.local/share/ubiquity/cloud"))
        #expect(configuration.deviceName == "laptop")
        #expect(configuration.stateDirectory == surroundings.paths.stateDirectory(forMount: "/here/docs"))
    }

    @Test("settings that were given once are remembered, and new ones take precedence")
    func settings() throws {
        let settings = DaemonSettings(cloud: "file:///nas", device: "desk")
        #expect(try resolve(settings: settings).cloud == .directory(path: "/nas"))
        #expect(try resolve(settings: settings).deviceName == "desk")
        #expect(try resolve({ $0.device = "new" }, settings: settings).deviceName == "new")
        #expect(try resolve({ $0.cloud = "./c" }, settings: settings).cloud == .directory(path: "/here/./c"))
    }

    @Test("settings are read back from their file; a file of a later format is refused and not changed")
    func settingsFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(try DaemonSettings.load(from: file) == nil)
        let settings = DaemonSettings(try resolve { $0.cloud = "file:///n%20s" })
        try settings.save(to: file)
        #expect(try DaemonSettings.load(from: file) == settings)
        #expect(try resolve(settings: settings).cloud == .directory(path: "/n s"))
        let later = Data(#"{"format":9,"cloud":"x","device":"y"}"#.utf8)
        try later.write(to: URL(filePath: file))
        let failure = #expect(throws: DaemonFailure.self) { try DaemonSettings.load(from: file) }
        #expect(failure?.code == .versionMismatch)
        #expect(try Data(contentsOf: URL(filePath: file)) == later)
    }

    @Test(
        "addresses of clouds are parsed",
        arguments: [
            ("file:///a/b", CloudAddress.directory(path: "/a/b")), ("file://localhost/a", .directory(path: "/a")),
            ("/a/b", .directory(path: "/a/b")), ("/\u{301}a", .directory(path: "/\u{301}a")),
            ("file:///a%20b", .directory(path: "/a b")),
            ("https://host/x", .http(url: "https://host/x")), ("s3://bucket/p/q", .s3(url: "s3://bucket/p/q")),
            ("s3://bucket?region=x", .s3(url: "s3://bucket?region=x")),
        ])
    func addresses(text: String, address: CloudAddress) throws {
        #expect(try CloudAddress(text, currentDirectory: "/here") == address)
    }

    @Test(
        "text that is not an address is rejected with the supported forms",
        arguments: ["ftp://host", "nonsense", "file://host/a", "file:///%zz", "https://", "s3://", ""])
    func badAddresses(text: String) {
        let failure = #expect(throws: DaemonFailure.self) { try CloudAddress(text, currentDirectory: "/here") }
        #expect(failure?.advice?.contains("file:///DIR") == true)
    }

    @Test(
        "an address of a bucket that cannot be used is refused before anything is mounted",
        arguments: [
            "s3://UPPER/x", "s3://bucket?colour=red", "s3://bucket?endpoint=http://other.example",
            "s3://key:secret@bucket",
        ]
    )
    func badBuckets(text: String) {
        let failure = #expect(throws: DaemonFailure.self) { try resolve { $0.cloud = text } }
        #expect(failure?.code == .invalidRequest)
        #expect(failure.map { !"\($0)".contains("secret@") } ?? false)
    }

    @Test("an address of a bucket is kept with its settings")
    func buckets() throws {
        let text = "s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-1"
        #expect(try resolve { $0.cloud = text }.cloud == .s3(url: text))
    }

    @Test(
        "a device's name is usable as a file name", arguments: ["", "a/b", "a\nb", String(repeating: "x", count: 65)])
    func deviceNames(name: String) {
        #expect(throws: DaemonFailure.self) { try resolve { $0.device = name } }
    }

    @Test("on a small disk less space is left free than on a large one")
    func minimumFree() throws {
        let configuration = try resolve()
        #expect(configuration.minimumFree(ofDisk: ByteCount(10_000_000_000)).bytes == 200_000_000)
        #expect(configuration.minimumFree(ofDisk: ByteCount(1 << 42)).bytes == 1 << 30)
        #expect(try resolve { $0.minimumFree = ByteCount(5) }.minimumFree(ofDisk: ByteCount(1 << 42)).bytes == 5)
    }
}
