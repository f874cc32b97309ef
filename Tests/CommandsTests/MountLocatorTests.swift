import Commands
import DaemonProtocol
import Testing

@Suite("Finding the mount of a path")
struct MountLocatorTests {
    private let docs = MountRecord(mount: "/home/u/docs", pid: 1, state: "/s", socket: "/s/c")
    private let inner = MountRecord(mount: "/home/u/docs/inner", pid: 2, state: "/t", socket: "/t/c")

    private func locator(
        _ links: [String: String] = [:], orphans: [String] = [], directory: String = "/home/u",
        health: MountHealth = .dead
    ) -> MountLocator {
        MountLocator(
            records: [docs, inner], table: UbiquityMounts(mountPoints: orphans.map { Array($0.utf8) }),
            currentDirectory: Array(directory.utf8),
            resolve: { path in links[String(decoding: path, as: UTF8.self)].map { Array($0.utf8) } },
            probe: { _ in health })
    }

    @Test(
        "a path is compared by name, without calling the file system",
        arguments: [
            ("/home/u/docs", ""), ("/home/u/docs/", ""), ("docs/a/b", "a/b"), ("./docs/../docs/a", "a"),
            ("/home/u/docs/innermost", "innermost"),
        ])
    func byName(argument: String, path: String) throws {
        let place = try locator().place(of: argument)
        #expect(place.record == docs)
        #expect(place.path == (try MountPath(path)))
    }

    @Test("a mount inside a mount is found before the outer one")
    func nested() throws { #expect(try locator().place(of: "docs/inner/a").record == inner) }

    @Test("from inside a mount, a relative path is relative to the working directory")
    func inside() throws {
        let place = try locator(directory: "/home/u/docs/a").place(of: "b")
        #expect(place.path == (try MountPath("a/b")))
    }

    @Test("a symlink on the way to the mount is followed, a symlink as the last component is not")
    func links() throws {
        let links = locator(["/tmp/link": "/home/u/docs", "/tmp/link/x": "/elsewhere"])
        #expect(try links.place(of: "/tmp/link/x").path == MountPath("x"))
        #expect(try locator(["/tmp": "/tmp", "/tmp/link": "/home/u/docs"]).place(of: "/tmp/link").path.isRoot)
    }

    @Test(
        "a path below a bind mount is mapped to the path in the mount",
        arguments: [
            ("/x", "CloudDocs/Documents"), ("/x/a b/c", "CloudDocs/Documents/a b/c"), ("/whole/a", "a"),
            ("/home/u/docs/y", "y"),
        ])
    func bind(argument: String, path: String) throws {
        let text = """
            90 22 0:50 / /home/u/docs rw - fuse.ubiquity ubiquity rw,user_id=1000
            91 22 0:50 /CloudDocs/Documents /x rw shared:7 - fuse.ubiquity ubiquity rw,user_id=1000
            92 22 0:50 / /whole rw - fuse.ubiquity ubiquity rw,user_id=1000
            93 22 0:51 /CloudDocs/Documents /other rw - fuse.ubiquity ubiquity rw,user_id=1000

            """
        let locator = MountLocator(
            records: [docs], table: UbiquityMounts(parsing: Array(text.utf8), userID: 1000),
            currentDirectory: Array("/".utf8),
            resolve: { _ in nil }, probe: { _ in .living })
        let place = try locator.place(of: argument)
        #expect(place.record == docs)
        #expect(place.path == (try MountPath(path)))
        // The locator knows nothing about other file systems.
        #expect(throws: CommandFailure.self) { try locator.place(of: "/other/a") }
    }

    @Test("a sibling folder whose name starts with the mount's name is outside")
    func neighbour() {
        let failure = #expect(throws: CommandFailure.self) { try locator().place(of: "/home/u/docs2/a") }
        #expect(failure?.status == .notMounted)
    }

    @Test("a path in a mount whose daemon has died is still in that mount")
    func inDeadMount() {
        let locator = locator(["/link": "/dead/a"], orphans: ["/dead"])
        #expect(locator.isInMount("/dead/a") && locator.isInMount("/link") && locator.isInMount("docs/a"))
        #expect(!locator.isInMount("/home/u/docs2/a"))
    }

    @Test(
        "the error for a mount without a registered daemon says so",
        arguments: [
            (MountHealth.dead, Commands.ExitStatus.notMounted, "the daemon of this mount is gone: /dead."),
            (.living, .notAnswering, "is not registered here: /dead."),
            (.frozen, .notAnswering, "this mount does not answer"),
        ])
    func orphan(health: MountHealth, status: Commands.ExitStatus, text: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try locator(orphans: ["/dead"], health: health).place(of: "/dead/a")
        }
        #expect(failure?.status == status)
        #expect(failure?.description.contains(text) == true)
    }
}
