import Basics
import DeviceSupport
import Foundation
import Glibc
import Testing

@testable import LocalContent

@Suite("Files made ahead for new blobs")
struct SpareFilesTests {
    private let folder = NSTemporaryDirectory() + "/ubiquity-spares-\(UUID().uuidString)"
    private let timer = HeldTimer()

    private func withStore(_ body: (ContentStore) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(try ContentStore(directory: folder, background: { [timer] in timer.hold($0) }))
    }

    private func blob(_ node: UInt64) -> BlobName { BlobName(node: node, generation: 1) }

    /// The inodes of this test's open files without a name.
    private func spares() throws -> Set<UInt64> {
        var found: Set<UInt64> = []
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(number),
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
                path.contains((folder as NSString).lastPathComponent), path.hasSuffix(" (deleted)")
            else { continue }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_nlink == 0 { found.insert(UInt64(status.st_ino)) }
        }
        return found
    }

    private func inode(_ descriptor: Int32) -> (number: UInt64, status: stat) {
        var status = stat()
        fstat(descriptor, &status)
        return (UInt64(status.st_ino), status)
    }

    @Test("after the first blob a few files are made in the background, and the next blob is one of them")
    func ahead() throws {
        try withStore { store in
            close(try store.create(blob(1)))
            #expect(try spares().isEmpty, "nothing is made before the background runs")
            timer.fire()
            let made = try spares()
            #expect(made.count == 4)
            let descriptor = try store.create(blob(2))
            defer { close(descriptor) }
            let file = inode(descriptor)
            #expect(made.contains(file.number))
            #expect(try spares().count == 3)
            #expect(file.status.st_size == 0 && file.status.st_nlink == 1 && file.status.st_mode & 0o7777 == 0o600)
            #expect(write(descriptor, "text", 4) == 4)
            #expect(try store.firstBytes(of: blob(2), 10) == Array("text".utf8))
            #expect(store.needsNameSync(blob(2)))
        }
    }

    @Test("a blob that exists is emptied or kept, as it is opened, and a shard that is missing is made")
    func leftover() throws {
        try withStore { store in
            let old = try store.create(blob(1))
            #expect(write(old, "left", 4) == 4)
            close(old)
            timer.fire()
            let new = try store.create(blob(1))
            #expect(inode(new).status.st_size == 0)
            #expect(write(new, "kept", 4) == 4)
            close(new)
            let same = try store.openOrCreate(blob(1))
            #expect(inode(same).status.st_size == 4)
            close(same)
            close(try store.create(blob(5_000)))
            #expect(try store.existingShards() == [0, 1])
            #expect(try store.blobs(inShard: 1) == [blob(5_000)])
        }
    }

    @Test("files without a name end with the store, also with one that is being filled")
    func end() throws {
        try withStore { store in
            close(try store.create(blob(1)))
            timer.fire()
            #expect(try spares().count == 4)
            for node in 2..<5 { close(try store.create(blob(UInt64(node)))) }
        }
        // The store is gone; its requests may still run.
        timer.fire()
        #expect(try spares().isEmpty)
    }

    /// Takes files, and returns whether each call asked for more.
    private func take(_ count: Int, _ supply: inout SpareSupply) -> [Bool] {
        var asked: [Bool] = []
        for _ in 0..<count { asked.append(supply.take().mustFill) }
        return asked
    }

    /// Returns the number of files made at once.
    private func fill(_ supply: inout SpareSupply) -> Int {
        var made = 1
        while supply.add(-1) { made += 1 }
        return made
    }

    @Test("more files are made while programs are faster, up to a limit, and when half of them are taken")
    func supply() {
        var supply = SpareSupply()
        // The second take finds none and doubles the target; the files are already being made.
        #expect(take(2, &supply) == [true, false])
        #expect(fill(&supply) == 8)
        #expect(take(5, &supply) == [false, false, false, true, false])
        supply.pause()
        _ = take(100, &supply)
        #expect(fill(&supply) == 64)
    }

    @Test("where files cannot be made without a name, none are made again")
    func stopped() {
        var supply = SpareSupply()
        #expect(take(1, &supply) == [true])
        supply.stop()
        #expect(take(1, &supply) == [false])
        let isMore = supply.add(-1)
        #expect(!isMore)
    }
}
