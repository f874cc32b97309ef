import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import Synchronization
import Testing
import VirtualFileSystem

@testable import Fuse
@testable import Mount

/// Tests the replies to an announcer: the kernel performs its call, and nothing changes.
@Suite("Requests of the announcer", .timeLimit(.minutes(10)))
struct AnnouncementTests {
    private static let announcer: Int32 = 4711
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    private func place(_ name: String) -> Announcement.Place {
        Announcement.Place(parent: device.documents, name: Array(name.utf8))
    }

    private func withAnnouncer(
        _ change: Announcement.Change, _ kind: LocalKind = .file, at name: String, _ node: NodeID,
        _ body: (FakeKernel) throws -> Void
    ) async throws {
        try await FakeKernel.with(device) { kernel async throws in
            kernel.mount.announcements.add(Self.announcer)
            kernel.mount.announcements.begin(
                Announcement(node: node, kind: kind, place: place(name), change: change), by: Self.announcer)
            kernel.thread.store(UInt32(Self.announcer), ordering: .relaxed)
            try body(kernel)
        }
    }

    private func rows() throws -> [LocalItem?] { try device.names().map { try device.row($0) } }

    private func unchanged(_ body: () async throws -> Void) async throws {
        let before = try rows()
        try await body()
        #expect(try rows() == before)
    }

    @Test("a creation: the name is absent for the announcer, and its mknod returns the item that is there")
    func creation() async throws {
        let node = try device.save("a", "text")
        try await unchanged {
            try await withAnnouncer(.created, at: "a", node) { kernel throws in
                #expect(try kernel.lookup("a").error == ENOENT)
                let made = try kernel.call(
                    .mknod, node: kernel.documents, Body(S_IFREG | 0o600, 0 as UInt32, 0 as UInt32, 0 as UInt32, "a"))
                #expect(made.error == 0 && made.number(at: 0) == node.value)
                #expect(made.number(at: 16) == 0, "nothing is cached")
            }
        }
    }

    @Test("a removal: the name is shown to the announcer, and its unlink succeeds, unless another item has the name")
    func removal() async throws {
        try device.save("taken", "text")
        try await unchanged {
            try await withAnnouncer(.removed, at: "gone", NodeID(99_999)) { kernel throws in
                #expect(try kernel.lookup("gone").number(at: 0) == 99_999)
                #expect(try kernel.call(.unlink, node: kernel.documents, Body("gone")).error == 0)
            }
            try await withAnnouncer(.removed, at: "taken", NodeID(99_999)) { kernel throws in
                #expect(try kernel.call(.unlink, node: kernel.documents, Body("taken")).error == EBUSY)
            }
        }
    }

    @Test("a move: the announcer sees the item at its former place alone, and its rename succeeds")
    func move() async throws {
        let node = try device.save("new", "text")
        try await unchanged {
            try await withAnnouncer(.moved(from: place("old")), at: "new", node) { kernel throws in
                #expect(try kernel.lookup("old").number(at: 0) == node.value)
                #expect(try kernel.lookup("new").error == ENOENT)
                #expect(try kernel.rename("old", to: "new").error == 0)
                #expect(try kernel.rename("new", to: "old").error == EPERM)
            }
        }
    }

    @Test("a modification: the times that the announcer sets stay as they are, and a size is refused")
    func modification() async throws {
        let node = try device.save("a", "text")
        try await unchanged {
            try await withAnnouncer(.modified, at: "a", node) { kernel throws in
                #expect(try kernel.lookup("a").number(at: 0) == node.value)
                #expect(try kernel.setattr(node.value, valid: 1 << 5, size: 0).error == 0)
                #expect(try kernel.setattr(node.value, valid: 1 << 3, size: 0).error == EPERM)
            }
        }
    }

    /// A slow announcer may send its request long after the daemon gave it up.
    @Test("a request of an announcer that belongs to no announcement, or to another one, changes nothing")
    func late() async throws {
        let node = try device.save("a", "text")
        let folder = try device.makeFolder("folder")
        try await unchanged {
            for isCurrent in [false, true] {
                try await withAnnouncer(.modified, at: "folder", folder) { kernel throws in
                    if !isCurrent { kernel.mount.announcements.end() }
                    #expect(try kernel.call(.unlink, node: kernel.documents, Body("a")).error == EPERM)
                    #expect(try kernel.call(.rmdir, node: kernel.documents, Body("folder")).error == EPERM)
                    #expect(try kernel.rename("a", to: "b").error == EPERM)
                    #expect(try kernel.setattr(node.value, valid: 1 << 3, size: 0).error == EPERM)
                    let made = try kernel.call(
                        .mkdir, node: kernel.documents, Body(0o700 as UInt32, 0 as UInt32, "made"))
                    #expect(made.error == EPERM)
                    let linked = try kernel.call(.symlink, node: kernel.documents, Body("link", "a"))
                    #expect(linked.error == EPERM)
                }
            }
        }
    }

    @Test("a program's request is not taken for an announcer's, and an announcer counts once the kernel has named it")
    func requesters() async throws {
        try device.save("a", "text")
        try await withAnnouncer(.modified, at: "a", NodeID(1)) { kernel throws in
            let announcements = kernel.mount.announcements
            #expect(!announcements.isKnownToKernel(Self.announcer))
            let greeting = String(decoding: Announcements.greeting(of: Self.announcer), as: UTF8.self)
            #expect(try kernel.call(.lookup, node: 1, Body(greeting)).error == ENOENT)
            #expect(announcements.isKnownToKernel(Self.announcer))
            kernel.thread.store(1, ordering: .relaxed)
            #expect(announcements.requester(1) == .program)
            #expect(try kernel.call(.unlink, node: kernel.documents, Body("a")).error == 0)
            announcements.remove(Self.announcer)
            #expect(announcements.requester(Self.announcer) == .program)
        }
    }
}
