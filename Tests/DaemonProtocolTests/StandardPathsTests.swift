import DaemonProtocol
import Foundation
import Testing

@Suite("Default locations of files")
struct StandardPathsTests {
    private func paths(_ environment: [String: String] = [:]) -> StandardPaths {
        StandardPaths(home: "/home/u", environment: environment, userID: 1000)
    }

    @Test("without environment variables everything is below the home directory")
    func defaults() {
        #expect(paths().defaultMount == "/home/u/MobileDocuments")
        #expect(paths().embeddedCloud == "/home/u/.local/share/ubiquity/cloud")
        #expect(paths().registryCandidates == ["/run/user/1000/ubiquity", "/home/u/.local/state/ubiquity"])
    }

    @Test("the XDG variables are used, and relative ones are ignored as their specification requires")
    func variables() {
        #expect(paths(["XDG_DATA_HOME": "/d"]).embeddedCloud == "/d/ubiquity/cloud")
        #expect(paths(["XDG_DATA_HOME": "d"]).embeddedCloud == "/home/u/.local/share/ubiquity/cloud")
        #expect(paths(["XDG_RUNTIME_DIR": "/r"]).registryCandidates.first == "/r/ubiquity")
    }

    @Test("within a scope no registry of mounts outside of it is read")
    func scope() {
        let paths = paths(["XDG_RUNTIME_DIR": "/t/run", "XDG_STATE_HOME": "/t/state", "UBIQUITY_SCOPE": "/t"])
        #expect(paths.registryCandidates == ["/t/run/ubiquity", "/t/state/ubiquity"])
        #expect(paths.isInScope("/t/mount") && paths.isInScope("/t") && !paths.isInScope("/tmp/mount"))
        #expect(self.paths().isInScope("/anywhere"))
    }

    @Test("a test process sees no mounts, state or settings of its user")
    func ownHome() throws {
        let paths = StandardPaths.current
        let scope = try #require(paths.scope)
        #expect(!scope.isEmpty && paths.home == scope)
        for path in paths.registryCandidates + [paths.data, paths.signInFile(server: "x"), paths.defaultMount] {
            #expect(paths.isInScope(path), "\(path)")
        }
        #expect(!MountRegistry.standard.records().contains { !paths.isInScope($0.mount) })
    }

    @Test("two mount points never share a state directory, even if their names are equal")
    func stateDirectories() {
        let all = ["/home/u/MobileDocuments", "/a/docs", "/b/docs", "/"].map(paths().stateDirectory(forMount:))
        #expect(Set(all).count == all.count)
        #expect(all[0] == "/home/u/.local/share/ubiquity/devices/MobileDocuments")
        #expect(all[1].hasPrefix("/home/u/.local/share/ubiquity/devices/docs-"))
    }

    @Test("each server's sign-in has a file of its own, however similar the addresses are")
    func signInFiles() {
        let servers = [
            "https://a.example", "http://a.example", "https://a.example:443", "https://a.example/443",
            "https://a.example%2f443",
            "https://a-example", "https://A.example", "https://" + String(repeating: "a", count: 300),
        ]
        let files = servers.map { paths().signInFile(server: $0) }
        #expect(Set(files).count == servers.count)
        for file in files { #expect(file.split(separator: "/").last.map { $0.utf8.count <= 255 } == true) }
        #expect(files[0] == "/home/u/.local/state/ubiquity/servers/https%3a%2f%2fa.example.json")
    }

    @Test("a sign-in file gives its token to the server that it names, and to no other")
    func otherServer() throws {
        let file = "\(NSTemporaryDirectory())/sign-in-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let record = ServerSignIn(server: "https://a.example", account: "anna", device: 1, token: "secret")
        try record.save(to: file)
        #expect(ServerSignIn.load(from: file, server: "https://a.example") == record)
        #expect(ServerSignIn.load(from: file, server: "https://b.example") == nil)
    }
}
