import Basics
import FoundationEssentials
import Glibc
import Testing

@testable import DaemonProtocol

@Suite("The registry of mounts")
struct MountRegistryTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func record(_ mount: String, pid: Int32 = getpid()) -> MountRecord {
        MountRecord(mount: mount, pid: pid, state: "/s", socket: "/s/control.sock")
    }

    /// An id of no process: the kernel assigns ids up to 2^22 (proc_sys_kernel(5), pid_max).
    private let unusedID: Int32 = 1 << 22 + 1

    @Test("a published record is found in any of the directories, sorted by mount point")
    func publish() throws {
        try withDirectory { directory in
            let registry = MountRegistry(directories: ["\(directory)/a", "\(directory)/b"])
            try registry.publish(record("/z"))
            try MountRegistry(directories: ["\(directory)/b"]).publish(record("/y"))
            #expect(registry.records() == [record("/y"), record("/z")])
        }
    }

    @Test("a directory that cannot be written is skipped")
    func fallback() throws {
        try withDirectory { directory in
            let registry = MountRegistry(directories: ["/proc/ubiquity", directory])
            try registry.publish(record("/m"))
            #expect(registry.records() == [record("/m")])
        }
    }

    @Test("records of dead daemons, incomplete files and later formats are not shown")
    func stale() throws {
        try withDirectory { directory in
            let registry = MountRegistry(directories: [directory])
            try registry.publish(record("/dead", pid: unusedID))
            try Data("{\"mount\"".utf8).write(to: URL(filePath: "\(directory)/half.json"))
            let later = #"{"format":99,"mount":"/l","pid":\#(getpid()),"state":"/s","socket":"/s/c"}"#
            try Data(later.utf8).write(to: URL(filePath: "\(directory)/later.json"))
            #expect(registry.records().isEmpty)
        }
    }

    @Test("publishing removes the records of dead daemons and keeps those of running ones")
    func sweep() throws {
        try withDirectory { directory in
            let registry = MountRegistry(directories: [directory])
            try registry.publish(record("/living"))
            try registry.publish(record("/dead", pid: unusedID))
            try registry.publish(record("/new"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        }
    }

    @Test("withdrawing keeps the record of a successor")
    func withdraw() throws {
        try withDirectory { directory in
            let registry = MountRegistry(directories: [directory])
            try registry.publish(record("/m"))
            registry.withdraw(mount: "/m", pid: unusedID)
            #expect(registry.records() == [record("/m")])
            registry.withdraw(mount: "/m", pid: getpid())
            #expect(registry.records().isEmpty)
        }
    }

    @Test("a socket can be used below a path of any length")
    func longSocketPath() throws {
        try withDirectory { directory in
            let deep = directory + String(repeating: "/" + String(repeating: "d", count: 60), count: 4)
            try createDirectories(deep)
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { [listener, client].forEach { close($0) } }
            try ControlSocketAddress.with(path: "\(deep)/control.sock") { address, length throws(Errno) in
                _ = try check("bind") { bind(listener, address, length) }
                _ = try check("listen") { listen(listener, 1) }
            }
            #expect(access("\(deep)/control.sock", F_OK) == 0)
            try ControlSocketAddress.with(path: "\(deep)/control.sock") { address, length throws(Errno) in
                _ = try check("connect") { connect(client, address, length) }
            }
        }
    }
}

@Suite("The end of a process")
struct ProcessEndTests {
    @Test("a process whose first thread is a zombie while another one calls execve has not begun to end")
    func execution() {
        var looks: [ProcessEnd?] = [.begun, .begun, nil]
        var pauses = 0
        #expect(ProcessEnd.settled({ looks.removeFirst() }) { pauses += 1 } == nil)
        #expect(pauses == 2 && looks.isEmpty)
    }

    @Test("a thread that stays in the kernel means that the end has begun")
    func stuck() {
        #expect(ProcessEnd.settled({ .begun }) {} == .begun)
        #expect(ProcessEnd.settled({ .complete }) {} == .complete)
    }
}
