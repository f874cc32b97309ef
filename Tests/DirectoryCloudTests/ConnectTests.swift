import CloudModel
import CloudStorage
import DirectoryCloud
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("Conditions for a directory to become a cloud")
struct ConnectTests {
    @Test(
        "An empty directory becomes a cloud, also with lost+found or after an interrupted creation",
        arguments: [
            [], ["lost+found"], ["containers", "temporary"], ["temporary"],
        ])
    func empty(names: [String]) async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            for name in [""] + names { try #require(run(["mkdir", "-p", path.appending(name).string])) }
            await expectCloudError(.offline) { _ = try await backend(path).connect(create: false) }
            _ = try await newCloud(path).append([1], to: .cloudDocs)
        }
    }

    @Test(
        "A directory with any other content is refused and left as it is",
        arguments: [
            "photo.jpg", "containers/CloudDocs/log", ".hidden",
        ])
    func notEmpty(name: String) async throws {
        try await withFolder { folder in
            try #require(run(["mkdir", "-p", folder.appending(name).string]))
            for create in [false, true] {
                await expectCloudError(.foreign) { _ = try await backend(folder).connect(create: create) }
            }
            #expect(!folder.appending("ubiquity-cloud").isThere && !folder.appending("temporary").isThere)
        }
    }

    @Test("Devices that create a cloud at the same time create one each time")
    func race() async throws {
        try await withFolder { folder in
            for round in 0..<60 {
                let path = folder.appending("cloud \(round)")
                let made = try await withThrowingTaskGroup(of: CloudIdentity.self) { group in
                    for _ in 0..<6 { group.addTask { try await backend(path).connect(create: true) } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(made.count == 1, "round \(round)")
            }
        }
    }

    @Test("A file in place of the directory, or a missing parent, is offline")
    func noDirectory() async throws {
        try await withFolder { folder in
            try folder.appending("file").write([1])
            await expectCloudError(.offline) { _ = try await backend(folder.appending("file")).connect(create: false) }
            await expectCloudError(.offline) {
                _ = try await backend(folder.appending("no/cloud")).connect(create: true)
            }
            #expect(!folder.appending("no").isThere)
        }
    }

    @Test("A cloud of a newer format is tooNew, and no file in it is changed")
    func newer() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            let identity = path.appending("ubiquity-cloud")
            try identity.write(Array("ubiquity cloud\nformat 2\nsomething else\n".utf8))
            // A leftover to be removed by connecting.
            let leftover = path.appending("temporary/999999999-0000000000000000")
            try leftover.write([1])
            try #require(run(["touch", "-d", "2001-01-01", leftover.string]))
            await expectCloudError(.tooNew) { _ = try await backend(path).connect(create: true) }
            await expectCloudError(.tooNew) { _ = try await cloud.append([1], to: .cloudDocs) }
            await expectCloudError(.tooNew) { _ = try await cloud.containers() }
            #expect(leftover.isThere && !path.entry(1).isThere)
            #expect(try identity.read() == Array("ubiquity cloud\nformat 2\nsomething else\n".utf8))
        }
    }

    @Test("An identity file that cannot be parsed is damaged, and is not replaced")
    func damagedIdentity() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            _ = try await newCloud(path)
            try path.appending("ubiquity-cloud").write([])
            await expectCloudError(.damaged) { _ = try await backend(path).connect(create: true) }
            #expect(try path.appending("ubiquity-cloud").read().isEmpty)
        }
    }

    @Test("Before connect every operation fails, and no file is created")
    func unconnected() async throws {
        try await withFolder { folder in
            let cloud = backend(folder)
            await expectCloudError(.offline) { _ = try await cloud.containers() }
            await expectCloudError(.offline) { try await cloud.createContainer(.cloudDocs) }
            #expect(!folder.appending("containers").isThere)
        }
    }

    @Test("Other users of the machine cannot open the cloud")
    func permissions() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            _ = try await newCloud(path).append([1], to: .cloudDocs)
            for (place, mode) in [(path, 0o700), (path.entry(1), 0o600), (path.appending("ubiquity-cloud"), 0o600)] {
                var info = stat()
                try #require(place.withPlatformString { stat($0, &info) } == 0)
                #expect(info.st_mode & 0o777 == mode)
            }
        }
    }

    @Test("Connecting removes old temporary files of dead writers, and nothing else")
    func leftovers() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            _ = try await newCloud(path)
            func make(_ name: String, old: Bool) throws -> FilePath {
                let file = path.appending("temporary/\(name)")
                try file.write([1])
                if old { try #require(run(["touch", "-d", "1 day ago", file.string])) }
                return file
            }
            // No process has this id: it exceeds the greatest id assigned by Linux, 2^22.
            let dead = "999999999-00000000000000a"
            let removed = try [make(dead + "1", old: true)]
            let kept = try [
                make(dead + "2", old: false), make("\(getpid())-00000000000000a3", old: true), make("mine", old: true),
            ]
            let container = path.appending("temporary/\(dead)4")
            try #require(run(["mkdir", "-p", container.appending("log").string, container.appending("chunks").string]))
            try #require(run(["touch", "-d", "1 day ago", container.string]))
            _ = try await backend(path).connect(create: false)
            #expect((removed + [container]).allSatisfy { !$0.isThere })
            #expect(kept.allSatisfy { $0.isThere })
        }
    }

    @Test("A backup program may omit the empty folder for temporary files")
    func temporaryFolder() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            try #require(run(["rmdir", path.appending("temporary").string]))
            #expect(try await cloud.append([1], to: .cloudDocs) == LogSequence(1))
        }
    }
}
