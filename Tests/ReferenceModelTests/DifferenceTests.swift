import CLinux
import Glibc
import TestSupport
import Testing

extension ReferenceModel {
    /// Tests the rows of the table "Where the mount differs from a disk" in docs/SEMANTICS.md.
    @Suite("Where the mount differs from a disk", .timeLimit(.minutes(10)))
    struct DifferenceTests {
        private let file = Path("file")
        private let other = Path("other")

        /// Runs calls in a mount's folder with an empty `file`.
        private func inMount(_ body: @escaping @Sendable (_ side: inout Side) -> Void) async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let root = test.devices[0].documents
                try await Playground(test).onOwnThread {
                    var side = Side(root: root)
                    #expect(side.make(Path("file")) == Outcome())
                    body(&side)
                }
            }
        }

        @Test("there are no hard links: EPERM, at once and without a trace")
        func hardLinks() async throws {
            try await inMount { side in
                #expect(side.perform(.link(file, other)) == .failure(EPERM))
                #expect(side.perform(.status(other, follows: false)) == .failure(ENOENT))
                #expect(Snapshot(of: side.root).entries[file]?.links == 1)
            }
        }

        @Test("there are no device nodes: EPERM")
        func deviceNodes() async throws {
            try await inMount { side in
                for type in [S_IFCHR, S_IFBLK] {
                    #expect(side.with(other) { path in .done { mknod(path, type | 0o600, 0x103) } } == .failure(EPERM))
                }
                #expect(side.perform(.status(other, follows: false)) == .failure(ENOENT))
            }
        }

        @Test("there is no O_TMPFILE: EOPNOTSUPP, and programs then create a named file")
        func temporaryFiles() async throws {
            try await inMount { side in
                let flags = OpenFlags(raw: O_RDWR | __O_DIRECTORY | 0o20_000_000)
                #expect(side.perform(.open(slot: 0, Path("."), flags: flags, mode: 0o600)) == .failure(EOPNOTSUPP))
            }
        }

        @Test("ranges cannot be collapsed or inserted in a file: EOPNOTSUPP, and the file is unchanged")
        func ranges() async throws {
            try await inMount { side in
                _ = side.perform(.open(slot: 0, file, flags: OpenFlags(raw: O_RDWR), mode: 0))
                _ = side.perform(.truncateOpen(slot: 0, size: 8192))
                // FALLOC_FL_COLLAPSE_RANGE and FALLOC_FL_INSERT_RANGE of <linux/falloc.h>.
                for mode in [0x08, 0x20] as [Int32] {
                    let outcome = side.perform(.allocate(slot: 0, mode: mode, offset: 0, count: 4096))
                    #expect(outcome == .failure(EOPNOTSUPP))
                }
                #expect(Snapshot(of: side.root).entries[file]?.size == 8192)
            }
        }

        @Test("a rename leaves no whiteout: EINVAL")
        func whiteout() async throws {
            try await inMount { side in
                #expect(side.perform(.rename(file, other, flags: 4)) == .failure(EINVAL))
                #expect(side.perform(.status(file, follows: false)).code == 0)
            }
        }

        @Test("a folder cannot be exchanged where it would leave the sync or enter it: EINVAL")
        func exchange() async throws {
            try await inMount { side in
                _ = side.perform(.makeFolder(other, mode: 0o755))
                let local = Path("local~")
                #expect(side.make(local) == Outcome())
                #expect(side.perform(.rename(other, local, flags: 2)) == .failure(EINVAL))
                #expect(side.perform(.rename(file, local, flags: 2)) == Outcome())
            }
        }

        @Test("extended attributes are those of user., with names in UTF-8: EOPNOTSUPP and EINVAL otherwise")
        func attributes() async throws {
            try await inMount { side in
                for name in ["trusted.one", "security.one", "system.posix_acl_access"] {
                    let outcome = side.perform(.setAttribute(file, name, count: 4, flags: 0))
                    #expect(outcome == .failure(EOPNOTSUPP) || outcome == .failure(EPERM), "\(name): \(outcome)")
                }
                for last in [0xfe, 0xff] as [UInt8] {
                    let name = (Array("user.".utf8) + [0xff, last, 0]).map { CChar(bitPattern: $0) }
                    #expect(side.with(file) { path in .done { lsetxattr(path, name, "1", 1, 0) } } == .failure(EINVAL))
                }
                #expect(side.perform(.listAttributes(file)) == Outcome())
            }
        }

        @Test("times reach from 1677 to 2262; later and earlier ones are clamped")
        func times() async throws {
            try await inMount { side in
                let late = Operation.TimeChoice.at(seconds: 1 << 34, nanoseconds: 0)
                #expect(side.perform(.setTimes(file, access: late, modification: late, follows: true)).code == 0)
                #expect(Snapshot(of: side.root).entries[file]?.modified == .max)
            }
        }

        @Test("a folder has one link, and reading a file changes no time")
        func linksAndReading() async throws {
            try await inMount { side in
                _ = side.perform(.makeFolder(other, mode: 0o755))
                _ = side.perform(.makeFolder(other.appending(Array("inside".utf8)), mode: 0o755))
                let old = Operation.TimeChoice.at(seconds: 5, nanoseconds: 7)
                let set = side.perform(.setTimes(file, access: old, modification: .now, follows: true))
                let before = Snapshot(of: side.root)
                #expect(before.entries[other]?.links == 1)
                _ = side.perform(.open(slot: 0, file, flags: OpenFlags(raw: O_RDONLY), mode: 0))
                _ = side.perform(.read(slot: 0, count: 100))
                #expect(set.names == [Array("5.7".utf8)] && side.accessTime(of: file) == 5_000_000_007)
            }
        }

        @Test("a closed sparse file uses as many blocks as its size needs")
        func blocks() async throws {
            try await inMount { side in
                #expect(side.perform(.truncate(file, size: 1 << 20)) == Outcome())
                #expect(Snapshot(of: side.root).entries[file]?.blocks == 2048)
            }
        }

        @Test("a file that has no name and is not open can be opened until its bytes are removed, then it is ESTALE")
        func unlinked() async throws {
            try await inMount { side in
                _ = side.perform(.open(slot: 0, file, flags: OpenFlags(raw: OpenFlags.path), mode: 0))
                #expect(side.perform(.unlink(file)) == Outcome())
                let held = "/proc/self/fd/\(side.slots[0]?.descriptor ?? -1)"
                func canOpen() -> Bool {
                    let descriptor = open(held, O_RDONLY | O_CLOEXEC)
                    return descriptor >= 0 && close(descriptor) == 0
                }
                #expect(canOpen())
                // Bytes are removed in groups, at the latest by the program removing the 1,024th file.
                for _ in 0..<2048 where canOpen() {
                    _ = side.perform(.open(slot: 1, other, flags: OpenFlags(raw: O_CREAT | O_WRONLY), mode: 0o644))
                    _ = side.perform(.write(slot: 1, count: 1, seed: 1))
                    _ = side.perform(.close(slot: 1))
                    #expect(side.perform(.unlink(other)) == Outcome())
                }
                #expect(!canOpen() && errno == ESTALE)
            }
        }

        @Test("writing to a pipe changes none of its times")
        func pipes() async throws {
            try await inMount { side in
                _ = side.perform(.makePipe(other))
                let before = Snapshot(of: side.root).entries[other]
                _ = side.perform(.open(slot: 0, other, flags: OpenFlags(raw: O_RDWR), mode: 0))
                #expect(side.perform(.write(slot: 0, count: 7, seed: 1)).value == 7)
                #expect(Snapshot(of: side.root).entries[other]?.modified == before?.modified)
            }
        }

        @Test(
            "set-id bits are cleared when an ordinary user writes, truncates or changes the owner, set-group-ID only of files that a group may execute",
            .needsRoot)
        func setID() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.devices[0]
                for change in ["echo more >> file", ": > file", "truncate -s 3 file", ": 1<> file; printf x 1<> file"] {
                    let modes = try await a.shell(
                        """
                        rm -f file; echo text > file
                        for mode in 6777 2767; do
                            chmod $mode file; setpriv --reuid 65534 --clear-groups -- bash -c '\(change)'; stat -c %a file
                        done
                        chmod 6755 file; chown -h "" file; chown $(id -u) file; stat -c %a file
                        """)
                    #expect(modes == "777\n2767\n755", "\(change)")
                }
            }
        }

        @Test("the root takes containers and the trash only; nothing moves from one container into another")
        func containers() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let root = test.devices[0].mount
                try await Playground(test).onOwnThread {
                    var side = Side(root: root)
                    let (container, document) = (Path("second"), Path("CloudDocs/Documents/file"))
                    #expect(side.make(Path("file")) == .failure(EPERM))
                    #expect(side.perform(.makeFolder(container, mode: 0o755)) == Outcome())
                    #expect(side.make(document) == Outcome())
                    #expect(side.perform(.rename(document, Path("second/file"), flags: 0)) == .failure(EXDEV))
                    let documents = Path("second/Documents")
                    #expect(side.perform(.removeFolder(documents)) == .failure(EPERM))
                    #expect(side.perform(.rename(documents, Path("second/Other"), flags: 0)) == .failure(EPERM))
                    #expect(side.make(Path("second/Documents/file")) == Outcome())
                    #expect(side.perform(.removeFolder(container)) == .failure(ENOTEMPTY))
                    #expect(side.perform(.rename(container, Path("third"), flags: 0)) == .failure(ENOTEMPTY))
                    #expect(side.perform(.removeFolder(Path("CloudDocs"))) == .failure(EPERM))
                }
            }
        }

        @Test("files do not support the flags of lsattr and chattr")
        func flags() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.devices[0]
                try await a.shell("echo text > file")
                #expect(!(try await a.run("chattr", "+i", "file")).succeeded)
                try await a.shell("echo more > file")
            }
        }
    }
}

extension Side {
    fileprivate mutating func make(_ path: Path) -> Outcome {
        let made = perform(.open(slot: 3, path, flags: OpenFlags(raw: O_RDWR | O_CREAT | O_EXCL), mode: 0o644))
        return made.code == 0 ? perform(.close(slot: 3)) : made
    }

    /// Returns the access time in nanoseconds since 1970.
    fileprivate func accessTime(of path: Path) -> Int {
        with(path) { path in
            var status = stat()
            guard lstat(path, &status) == 0 else { return .failure(errno) }
            return Outcome(value: status.st_atim.tv_sec * 1_000_000_000 + status.st_atim.tv_nsec)
        }.value
    }
}
