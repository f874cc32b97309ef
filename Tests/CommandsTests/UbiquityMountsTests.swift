import Commands
import Testing

@Suite("The kernel's list of mounts")
struct MountTableTests {
    private func table(_ text: String) -> [String] {
        UbiquityMounts(parsing: Array(text.utf8), userID: 1000).mountPoints.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("only mounts of ubiquity are found, with any number of tags and escaped characters")
    func parsing() {
        let text = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            90 22 0:50 / /home/u/My\\040Docs rw,nosuid shared:3 master:4 - fuse.ubiquity ubiquity rw,user_id=1000
            91 22 0:51 / /home/u/plain rw,nosuid - fuse.ubiquity ubiquity rw,user_id=1000,group_id=1000
            93 22 0:53 / /home/v/docs rw,nosuid - fuse.ubiquity ubiquity rw,user_id=10001
            92 22 0:52 / /home/u/other rw - fuse.sshfs host: rw

            """
        #expect(table(text) == ["/home/u/My Docs", "/home/u/plain"])
    }

    @Test(
        "lines of another format are skipped", arguments: ["", "-", "1 2 3 4 5 6 -", "a b c d /e f - fuse.ubiquity"])
    func oddLines(line: String) {
        #expect(table(line + "\n91 22 0:51 / /m rw - fuse.ubiquity u rw,user_id=1000\n").last == "/m")
    }

    @Test("a mount is covered if another file system is mounted over it later, and not by one of ours or beside it")
    func covered() {
        let text = """
            90 22 0:50 / /m rw - fuse.ubiquity ubiquity rw,user_id=1000
            91 90 0:51 / /m rw - fuse.ubiquity ubiquity rw,user_id=1000
            92 22 0:52 / /n rw - fuse.ubiquity ubiquity rw,user_id=1000
            93 92 0:53 / /n rw - tmpfs none rw
            94 22 0:54 / /o rw - tmpfs none rw
            95 94 0:55 / /o rw - fuse.ubiquity ubiquity rw,user_id=1000

            """
        let table = UbiquityMounts(parsing: Array(text.utf8), userID: 1000)
        #expect(["/m", "/n", "/o", "/p"].map(table.isCovered) == [false, true, false, false])
    }

    @Test("an escape that is truncated or has wrong digits is kept as it is")
    func escapes() {
        let cases = [
            ("a\\040b", "a b"), ("a\\134040", "a\\040"), ("a\\04", "a\\04"), ("a\\999", "a\\999"), ("\\", "\\"),
        ]
        for (escaped, plain) in cases {
            #expect(String(decoding: UbiquityMounts.unescaped(escaped.utf8), as: UTF8.self) == plain)
        }
    }
}
