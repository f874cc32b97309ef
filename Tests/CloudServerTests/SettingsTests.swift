import Basics
import CloudServer
import TestSupport
import Testing

@Suite("Settings of a server")
struct SettingsTests {
    private func file(_ text: String) throws -> SettingsFile { try SettingsFile(parsing: text, name: "server.conf") }

    @Test("a file has comments, empty lines, spaces around both sides, and values with any punctuation")
    func syntax() throws {
        let file = try file(
            "# cluster\n\n  database=postgres://a:b#c=d@h/n?sslmode=require\r\n\tlisten =  [::]:8080  \ntrusted-proxy = ::1\ntrusted-proxy = 10.0.0.0/8"
        )
        #expect(file.value(of: "database") == "postgres://a:b#c=d@h/n?sslmode=require")
        #expect(
            file.arguments(beside: ["serve"])
                == ["--listen=[::]:8080", "--trusted-proxy=::1", "--trusted-proxy=10.0.0.0/8"])
    }

    @Test("an option of the command line replaces the setting", arguments: [["--listen", "a:1"], ["--listen=a:1"]])
    func commandLine(given: [String]) throws {
        let file = try file("listen = b:2\nlog-level = debug\ndata = /srv/x")
        #expect(file.arguments(beside: given) == ["--log-level=debug"])
    }

    @Test("an option without a value is true or false in a file")
    func switches() throws {
        #expect(try file("direct-downloads = true").arguments(beside: []) == ["--direct-downloads"])
        #expect(try file("direct-downloads = false").arguments(beside: []) == [])
    }

    @Test(
        "a mistake is named with its line",
        arguments: [
            ("listen = a:1\nport = 80", "line 2"), ("\n\nlisten", "line 3"), ("listen =", "line 1"),
            ("listen = a:1\n# x\nlisten = b:2", "line 3"), ("listen = a\u{1B}[2J", "line 1"), ("= x", "line 1"),
            ("settings = other", "line 1"), ("\ndirect-downloads = 1", "line 2"),
        ])
    func mistakes(text: String, line: String) {
        #expect { _ = try file(text) } throws: { "\($0)".contains("server.conf, \(line):") }
    }

    @Test("any text is parsed or refused", arguments: 0..<128)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["listen", "data", " = ", "=", "\n", "\r\n", "#", "x", "\u{0}", "é", "\u{2028}", "database"]
        let text = (0..<random.number(0..<30)).map { _ in pieces[random.number(0..<pieces.count)] }.joined()
        guard let file = try? file(text) else { return }
        #expect(
            file.settings.allSatisfy { SettingsFile.server.keys.contains($0.key) && !$0.value.isEmpty && $0.line > 0 })
    }

    // MARK: The place

    private func place(
        _ options: [String: String], _ environment: [String: String] = ["HOME": "/home/anna"], file: String? = nil
    ) throws -> PlaceSettings {
        try PlaceSettings(options: options, environment: environment, file: file.map { try self.file($0) })
    }

    @Test(
        "an end of a migration is a directory, a database with a bucket, or what a file names, whatever the environment names"
    )
    func endsOfMigrations() throws {
        func end(_ place: String?, _ chunks: String? = nil, file: String? = nil) throws -> PlaceSettings {
            let environment = [
                "HOME": "/home/anna", "UBIQUITY_SERVER_DATA": "/srv/other", "UBIQUITY_SERVER_CACHE": "/c",
            ]
            return try PlaceSettings(
                endOfMigration: "to", place: place, chunks: chunks, file: file.map { try self.file($0) },
                environment: environment)
        }
        let cluster = PlaceSettings.Place.cluster(
            database: "postgres://h/n", chunks: "s3://b", cache: "/home/anna/.cache/ubiquity-server")
        #expect(try end("/srv/x").place == .directory("/srv/x"))
        #expect(try end("postgres://h/n", "s3://b").place == cluster)
        #expect(try end(nil, file: "database = postgres://h/n\nchunks = s3://b").place == cluster)
        #expect(try end(nil, file: "data = /srv/x\nlisten = a:1").place == .directory("/srv/x"))
        #expect(try end("postgresql://u:p@h/n", "s3://b").exposesPassword)
        for (place, chunks, file) in [
            (nil, nil, nil), ("postgres://h/n", nil, nil), ("/srv/x", "s3://b", nil), ("s3://b", nil, nil),
            (nil, "s3://b", nil), ("/srv/x", nil, "data = /srv/x"), (nil, "s3://b", "database = postgres://h/n"),
        ] as [(String?, String?, String?)] {
            #expect(throws: SettingsProblem.self) { _ = try end(place, chunks, file: file) }
        }
    }

    @Test("a server is in one directory, or is a cluster with a cache")
    func places() throws {
        #expect(try place(["data": "/srv/x"]).place == .directory("/srv/x"))
        let cluster = try place(["database": "postgres://h/n", "chunks": "s3://b"])
        #expect(
            cluster.place
                == .cluster(
                    database: "postgres://h/n", chunks: "s3://b", cache: "/home/anna/.cache/ubiquity-server"))
        let service = try place(
            ["database": "d", "chunks": "c"], ["CACHE_DIRECTORY": "/var/cache/u:/var/cache/v", "HOME": "/x"])
        #expect(service.place == .cluster(database: "d", chunks: "c", cache: "/var/cache/u"))
    }

    @Test(
        "settings that do not name one place are refused with a reason",
        arguments: [
            ([:], "--data DIR"), (["database": "d"], "also needs --chunks"), (["chunks": "c"], "also needs --database"),
            (["data": "x", "database": "d", "chunks": "c"], "one or the other"),
            (["data": "x", "chunks": "c"], "one or the other"), (["data": "x", "cache": "y"], "Leave it out"),
        ] as [([String: String], String)])
    func refused(options: [String: String], reason: String) {
        #expect { _ = try place(options) } throws: { "\($0)".contains(reason) }
    }

    @Test("the command line wins over the environment, and that over the file")
    func order() throws {
        let text = "database = file\nchunks = file\ncache = file"
        let environment = ["UBIQUITY_SERVER_CHUNKS": "environment", "UBIQUITY_SERVER_CACHE": "environment"]
        let settings = try place(["cache": "option"], environment, file: text)
        #expect(settings.place == .cluster(database: "file", chunks: "environment", cache: "option"))
    }

    @Test(
        "a password is noticed on the command line, but not in a file",
        arguments: [
            ("postgres://anna:secret@h/n", true), ("host=h password = secret", true),
            ("postgresql://h/n?password=x", true), ("postgres://anna@h:5432/n", false), ("service=cloud", false),
            ("host=h passfile=/etc/x", false),
        ])
    func password(database: String, isExposed: Bool) throws {
        let onCommandLine = try place(["database": database, "chunks": "c"])
        #expect(onCommandLine.exposesPassword == isExposed)
        let inFile = try place([:], file: "database = \(database)\nchunks = c\ncache = d")
        #expect(!inFile.exposesPassword)
    }
}
