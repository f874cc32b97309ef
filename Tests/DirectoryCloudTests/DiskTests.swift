import CloudModel
import CloudStorage
import DirectoryCloud
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("Disks that are full, read-only, or lose power", .needsRoot)
struct DiskTests {
    @Test(
        "A full disk is a quota error: no partial file is left, reading still works, and appends succeed once there is space"
    )
    func full() async throws {
        try await withFolder { folder in
            try await withMount("-t", "tmpfs", "-o", "size=8m", "none", at: folder.appending("disk")) {
                let path = folder.appending("disk/cloud")
                let cloud = try await newCloud(path)
                _ = try await cloud.append([1], to: .cloudDocs)
                let frame = [UInt8](repeating: 7, count: 1 << 20)
                await expectCloudError(.quota) {
                    for byte in UInt8(1)...9 { try await cloud.putChunk(chunkID(byte), frame: frame, in: .cloudDocs) }
                }
                let filler = folder.appending("disk/filler")
                run(["dd", "if=/dev/zero", "of=\(filler)", "bs=4k", "status=none"])
                await expectCloudError(.quota) {
                    _ = try await cloud.append([UInt8](repeating: 2, count: 9000), to: .cloudDocs)
                }
                #expect(try await cloud.wholeLog(of: .cloudDocs).map(\.payload) == [[1]])
                #expect(try await cloud.space()?.free == 0)
                // rmdir(1) succeeds only on an empty folder, so no leftovers exist.
                #expect(run(["rmdir", path.appending("temporary").string]))
                try #require(run(["rm", filler.string]))
                #expect(try await cloud.append([2], to: .cloudDocs) == LogSequence(2))
            }
        }
    }

    @Test("A read-only cloud can be read, and writers get readOnly")
    func readOnly() async throws {
        try await withFolder { folder in
            let disk = folder.appending("disk")
            try await withMount("-t", "tmpfs", "-o", "size=8m", "none", at: disk) {
                let writer = try await newCloud(disk.appending("cloud"))
                _ = try await writer.append([1], to: .cloudDocs)
                try await writer.putChunk(chunkID(1), frame: [1], in: .cloudDocs)
                try #require(run(["mount", "-o", "remount,ro", disk.string]))
                let cloud = backend(disk.appending("cloud"))
                _ = try await cloud.connect(create: false)
                #expect(try await cloud.wholeLog(of: .cloudDocs).count == 1)
                #expect(try await cloud.getChunk(chunkID(1), in: .cloudDocs) == [1])
                #expect(try await cloud.missing([chunkID(1)], in: .cloudDocs).isEmpty)
                await expectCloudError(.readOnly) { _ = try await cloud.append([1], to: .cloudDocs) }
                await expectCloudError(.readOnly) { try await cloud.putChunk(chunkID(2), frame: [2], in: .cloudDocs) }
                let notes = try #require(ContainerName("notes"))
                await expectCloudError(.readOnly) { try await cloud.createContainer(notes) }
                let other = backend(disk.appending("other"))
                await expectCloudError(.readOnly) { _ = try await other.connect(create: true) }
            }
        }
    }

    @Test(
        "After a power cut the log has the appended entry, the chunks before it and all earlier entries",
        arguments: [3, 40])
    func powerCut(chunks: UInt8) async throws {
        try await withFolder { folder in
            let (image, disk) = (folder.appending("image"), folder.appending("disk"))
            try #require(run(["truncate", "-s", "64M", image.string]))
            try #require(run(["mkfs.ext4", "-q", image.string]))
            // The journal commits every 5 s (ext4(5)); with a longer interval, durability depends on the backend alone.
            let options = ["-o", "loop,commit=300"]
            try await withMount(options[0], options[1], image.string, at: disk) {
                let cloud = try await newCloud(disk.appending("cloud"))
                for byte in 1...chunks { try await cloud.putChunk(chunkID(byte), frame: [byte, 1, 2], in: .cloudDocs) }
                for number in UInt8(1)...3 { _ = try await cloud.append([number], to: .cloudDocs) }
                try await cloud.putChunk(chunkID(250), frame: [250], in: .cloudDocs)
                try cutPower(disk)
            }
            try await withMount(options[0], options[1], image.string, at: disk) {
                let cloud = backend(disk.appending("cloud"))
                _ = try await cloud.connect(create: false)
                #expect(try await cloud.wholeLog(of: .cloudDocs).map(\.payload) == [[1], [2], [3]])
                for byte in 1...chunks {
                    #expect(try await cloud.getChunk(chunkID(byte), in: .cloudDocs) == [byte, 1, 2])
                }
                // The control: a chunk is not durable without an append, so the power cut did lose something.
                #expect(try await cloud.missing([chunkID(250)], in: .cloudDocs) == [chunkID(250)])
            }
        }
    }

    /// Stops the file system without writing its journal: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
    private func cutPower(_ disk: FilePath) throws {
        let folder = try FileDescriptor.open(disk, .readOnly, options: .closeOnExec)
        try folder.closeAfter {
            var flags: UInt32 = 2
            try #require(ioctl(folder.rawValue, 0x8004_587D, &flags) == 0)
        }
    }
}
