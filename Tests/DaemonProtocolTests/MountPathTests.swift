import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Paths below a mount")
struct MountPathTests {
    @Test(
        "different spellings of one path are equal",
        arguments: ["a/b", "/a/b", "a//b/", "./a/./b", "/a/b/."])
    func spellings(text: String) throws {
        #expect(try MountPath(text).bytes == Array("a/b".utf8))
    }

    @Test("the root has no bytes and is shown as a dot", arguments: ["", "/", ".", "//./"])
    func root(text: String) throws {
        #expect(try MountPath(text).isRoot)
        #expect("\(try MountPath(text))" == ".")
    }

    @Test("a path that could lead out of the mount is refused, also on the wire", arguments: ["..", "a/../b", "a/.."])
    func leaving(text: String) {
        #expect(throws: MountPath.Problem.leavesMount) { try MountPath(text) }
        #expect(throws: (any Error).self) {
            try ControlFrame.decode([MountPath].self, from: ControlFrame.payload([text]))
        }
    }

    @Test("names that only look like dots are names", arguments: ["...", "a..b", ".hidden", "..a"])
    func dotNames(text: String) throws { #expect("\(try MountPath(text))" == text) }

    @Test("all bytes but NUL survive encoding and decoding", arguments: UInt64(1)...50)
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<40).map { _ in UInt8.random(in: 1...255, using: &generator) }
        guard let path = try? MountPath(bytes: bytes) else { return }
        let data = try ControlFrame.payload([path])
        #expect(try ControlFrame.decode([MountPath].self, from: data) == [path], "seed \(seed)")
    }

    @Test("NUL is refused")
    func nul() { #expect(throws: MountPath.Problem.forbiddenByte) { try MountPath(bytes: [0x61, 0]) } }
}
