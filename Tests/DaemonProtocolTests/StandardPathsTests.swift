import DaemonProtocol
import Testing

@Suite("Where things lie by default")
struct StandardPathsTests {
    private func paths(_ environment: [String: String] = [:]) -> StandardPaths {
        StandardPaths(home: "/home/u", environment: environment, userID: 1000)
    }

    @Test("without variables everything lies below the home directory")
    func defaults() {
        #expect(paths().defaultMount == "/home/u/MobileDocuments")
        #expect(paths().embeddedCloud == "/home/u/.local/share/ubiquity/cloud")
        #expect(paths().registryCandidates == ["/run/user/1000/ubiquity", "/home/u/.local/state/ubiquity"])
    }

    @Test("the XDG variables are followed, relative ones ignored as their specification says")
    func variables() {
        #expect(paths(["XDG_DATA_HOME": "/d"]).embeddedCloud == "/d/ubiquity/cloud")
        #expect(paths(["XDG_DATA_HOME": "d"]).embeddedCloud == "/home/u/.local/share/ubiquity/cloud")
        #expect(paths(["XDG_RUNTIME_DIR": "/r"]).registryCandidates.first == "/r/ubiquity")
    }

    @Test("two mount points never share a state directory, even with one name")
    func stateDirectories() {
        let all = ["/home/u/MobileDocuments", "/a/docs", "/b/docs", "/"].map(paths().stateDirectory(forMount:))
        #expect(Set(all).count == all.count)
        #expect(all[0] == "/home/u/.local/share/ubiquity/devices/MobileDocuments")
        #expect(all[1].hasPrefix("/home/u/.local/share/ubiquity/devices/docs-"))
    }
}
