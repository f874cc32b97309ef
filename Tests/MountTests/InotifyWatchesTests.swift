import Glibc
import TestSupport
import Testing

@testable import Mount

@Suite("Watches of other programs")
struct InotifyWatchesTests {
    private let device: DeviceNumber

    init() throws { device = try #require(DeviceNumber("0:46")) }

    @Test("the lines of inotify in /proc/PID/fdinfo name the inodes of one file system")
    func parsing() {
        let text = """
            pos:\t0
            flags:\t02004000
            inotify wd:3 ino:9e7e sdev:2e mask:800afce ignored_mask:0 fhandle-bytes:8 fhandle-type:1 f_handle:7e9e0000640d1b6d
            inotify wd:2 ino:a111 sdev:2f mask:800afce ignored_mask:0
            inotify wd:1 ino:1 sdev:2e mask:800afce ignored_mask:0
            inotify wd:1 ino:zz sdev:2e
            inotify wd:1 sdev:2e
            fanotify ino:5 sdev:2e

            """
        #expect(InotifyWatches.nodes(on: device, parsing: Array(text.utf8)) == [0x9E7E, 1])
    }

    @Test("any bytes are parsed without a trap", arguments: 0..<200)
    func anyBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = ["inotify ", "ino:", "sdev:2e", "sdev:", "ffffffffffffffffff", "\n", " ", "1", "\0", "é"]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            if Bool.random(using: &random) {
                bytes += Array(words.randomElement(using: &random)?.utf8 ?? "".utf8)
            } else {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            }
        }
        _ = InotifyWatches.nodes(on: device, parsing: bytes)
    }

    @Test("a watch of this process is found, by the device and inode that stat(2) shows, until it is removed")
    func own() throws {
        var status = stat()
        #expect(stat("/proc/self", &status) == 0)
        let queue = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(queue) }
        var folder = Array("/tmp/watch-XXXXXX".utf8CString)
        #expect(mkdtemp(&folder) != nil)
        defer { rmdir(folder) }
        #expect(stat(folder, &status) == 0)
        let device = DeviceNumber(status: UInt64(status.st_dev))
        let watch = inotify_add_watch(queue, folder, UInt32(IN_CREATE))
        #expect(watch >= 0)
        #expect(InotifyWatches.nodes(on: device).contains(UInt64(status.st_ino)))
        #expect(inotify_rm_watch(queue, watch) == 0)
        #expect(!InotifyWatches.nodes(on: device).contains(UInt64(status.st_ino)))
    }

    @Test("a device number is read as the mount table writes it, and nothing else is one")
    func numbers() {
        #expect(DeviceNumber("8:1")?.kernelValue == 0x800001)
        #expect(DeviceNumber("0:46").map(\.description) == "0:46")
        for text in ["", ":", "1", "1:", ":1", "a:1", "1:2:3", "4096:0", "0:1048576", "-1:0", "1:-1"] {
            #expect(DeviceNumber(text) == nil, "\(text)")
        }
        #expect(DeviceNumber(status: 0x12_3045) == DeviceNumber("560:325"))
    }
}
