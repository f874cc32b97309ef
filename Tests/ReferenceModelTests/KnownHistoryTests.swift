import Glibc
import TestSupport
import Testing

extension ReferenceModel {
    /// Histories with past differences between mount and disk, shortened as far as possible.
    @Suite("Known histories", .timeLimit(.minutes(10)))
    struct KnownHistoryTests {
        private static let (a, b) = (Path("a"), Path("b"))
        private static let make = OpenFlags(raw: O_RDWR | O_CREAT)

        @Test("a write to a pipe without a reader fails in the same way, and ends nothing")
        func pipeWithoutReader() async throws {
            try await play([
                .makePipe(Self.a), .open(slot: 0, Self.a, flags: OpenFlags(raw: O_RDWR), mode: 0),
                .open(slot: 1, Self.a, flags: OpenFlags(raw: O_WRONLY), mode: 0), .close(slot: 0),
                .write(slot: 1, count: 1, seed: 0),
            ])
        }

        @Test("an open file keeps the ctime of its rename when it is closed")
        func renameOpen() async throws {
            try await play([
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644), .rename(Self.a, Self.b, flags: 0),
                .close(slot: 0),
            ])
        }

        @Test("setting an attribute advances the ctime of an open file, unless the attribute had that value before")
        func setAttributeOpen() async throws {
            try await play([
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644),
                .setAttribute(Self.a, "user.one", count: 3, flags: 0),
                .setAttribute(Self.a, "user.one", count: 3, flags: 0), .close(slot: 0),
            ])
        }

        @Test(
            "the removal of an attribute of a file that a program has open, but does not write, reaches other devices"
        )
        func attributeOfOpenFile() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let a = test.devices[0]
                try await a.shell("echo text > f; setfattr -n user.one -v 1 f")
                try await a.sync()
                try await a.shell("exec 3<> f; setfattr -x user.one f")
                try await a.sync()
                let names = { try await test.devices[1].run("getfattr", "--", "f") }
                try await eventually("B shows the file without it") {
                    let outcome = try await names()
                    return outcome.succeeded && outcome.output.isEmpty
                } describe: {
                    try await names().description
                }
            }
        }

        @Test("a file is never shown as it was before its last close, however soon after the close it is read")
        func closeAndLook() async throws {
            let once: [Operation] = [
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644), .truncateOpen(slot: 0, size: 4097),
                .close(slot: 0), .unlink(Self.a),
            ]
            try await play(Array(repeating: once, count: 200).flatMap { $0 })
        }

        @Test("a write right after the creation of a file advances its times, and never sets them back")
        func writeAfterCreation() async throws {
            let once: [Operation] = [
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644), .write(slot: 0, count: 7, seed: 1),
                .close(slot: 0), .unlink(Self.a),
            ]
            try await play(Array(repeating: once, count: 200).flatMap { $0 })
        }

        @Test("reading with O_TRUNC empties a file; an unlinked file takes attributes; pipes are exchanged with files")
        func calls() async throws {
            let truncate = OpenFlags(raw: O_RDONLY | O_TRUNC)
            try await play([
                .truncate(Self.a, size: 100), .open(slot: 0, Self.a, flags: Self.make, mode: 0o644),
                .write(slot: 0, count: 100, seed: 1), .open(slot: 1, Self.a, flags: truncate, mode: 0),
                .makePipe(Self.b), .rename(Self.a, Self.b, flags: 2), .unlink(Self.b),
                .setAttributeOpen(slot: 0, "user.one", count: 3), .changeModeOpen(slot: 0, mode: 0o600),
            ])
        }

        @Test("chown of neither owner nor group clears set-id bits; a new folder inherits the set-group-ID bit")
        func setID() async throws {
            try await play([
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644), .changeMode(Self.a, mode: 0o6755),
                .changeOwner(Self.a, isNone: true), .makeFolder(Self.b, mode: 0o755),
                .changeMode(Self.b, mode: 0o2755), .makeFolder(Path("b/inside"), mode: 0o700),
            ])
        }

        @Test("a file whose time was set to the present while it was open has that time after a restart")
        func timeOfOpenFile() async throws {
            let steps: [History.Step] = [
                .call(.open(slot: 0, Self.a, flags: OpenFlags(raw: O_RDONLY | O_CREAT), mode: 0o644)),
                .call(.setTimes(Self.a, access: .omit, modification: .now, follows: false)), .disruption(.restart),
            ]
            try await TestDevices.with(devices: ["A"]) { test in
                let failure = try await Playground(test).play(History(steps: steps))
                #expect(failure == nil)
            }
        }

        @Test("a link that is refused leaves the time of its folder")
        func refusedLink() async throws {
            try await play([
                .open(slot: 0, Self.a, flags: Self.make, mode: 0o644), .makeFolder(Self.b, mode: 0o755),
                .setTimes(Self.b, access: .omit, modification: .at(seconds: 86_400, nanoseconds: 1), follows: true),
                .link(Self.a, Path("b/c")),
            ])
        }

        private func play(_ operations: [Operation]) async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let failure = try await Playground(test).playBriefly(operations)
                #expect(failure == nil)
            }
        }
    }
}
