import Commands
import DaemonProtocol
import FoundationEssentials
import Testing

extension CommandTests {
    @Test("publish prints only the link, for scripts, and requests the given expiry")
    func publish() async throws {
        let expires = try WireTime.sample()
        let handler = ScriptedHandler { _ in
            DaemonResponse(PublishedResponse(link: 4, url: "https://cloud.example.org/p/abc", expires: expires))
        }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(
                ["publish", "\(daemon.record.mount)/a.pdf", "--expires", "12h", "--timeout", "9"], daemon)
            #expect(outcome.status == 0)
            #expect(outcome.output == "https://cloud.example.org/p/abc\n")
            #expect(outcome.errors.contains("link 4 until 2026-11-28 14:03:12"))
            #expect(
                handler.requests.contains(
                    DaemonRequest(PublishRequest(path: try MountPath("a.pdf"), seconds: 43_200, timeout: 9))))
        }
    }

    @Test("publish --list shows every link, and --withdraw ends one")
    func links() async throws {
        let time = try WireTime.sample()
        let link = PublishedDocument(
            link: 7, container: "CloudDocs", name: "a\u{1B}[31m.pdf", size: 2_048, created: time, expires: time,
            hasPassword: true)
        let handler = ScriptedHandler { request in
            if request.call is UnpublishRequest { return DaemonResponse(DoneResponse()) }
            return DaemonResponse(LinksResponse(links: [link]))
        }
        try await FakeDaemon.with(handler) { daemon in
            let mount = daemon.record.mount
            let listed = try await ubiquity(["publish", "--list", mount], daemon)
            #expect(listed.output.contains("2.0 KiB") && listed.output.contains("password"))
            #expect(!listed.output.contains("\u{1B}"))
            let ended = try await ubiquity(["publish", "--withdraw", "7", mount], daemon)
            #expect(ended.output == "Withdrew link 7.\n")
            #expect(handler.requests.contains(DaemonRequest(UnpublishRequest(link: 7))))
        }
    }

    @Test("publishing on a cloud that cannot publish fails with a message that says so")
    func noLinks() async throws {
        let handler = ScriptedHandler { _ in
            throw DaemonFailure(.unsupported, "the cloud of this mount cannot publish documents", path: "/m")
        }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["publish", "\(daemon.record.mount)/a"], daemon)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "ubiquity: the cloud of this mount cannot publish documents: /m\n")
        }
    }

    @Test(
        "options that exclude each other are refused before a request is sent",
        arguments: [
            ["publish"], ["publish", "a", "--expires", "soon"], ["publish", "a", "--expires", "0d"],
            ["publish", "--list", "--withdraw", "3"], ["publish", "--list", "--password"],
        ])
    func nonsense(_ arguments: [String]) async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(arguments, daemon)
            #expect(outcome.status == 64)
            #expect(handler.requests.isEmpty)
        }
    }
}

extension WireTime {
    fileprivate static func sample() throws -> WireTime {
        try ControlFrame.decode(WireTime.self, from: .init("\"2026-11-28T14:03:12.500Z\"".utf8))
    }
}
