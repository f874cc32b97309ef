import Basics
import Glibc
import Testing

@Suite("Entries of directories")
struct DirectoryEntryTests {
    @Test("the name of an entry that ends where the mapped memory ends is read")
    func atTheEndOfMemory() throws {
        let page = sysconf(Int32(_SC_PAGESIZE))
        let memory = try #require(
            mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 2 * page) }
        #expect(mprotect(memory.advanced(by: page), page, PROT_NONE) == 0)
        let offset = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
        let name = Array("12".utf8) + [0]
        // Records are aligned to 8 bytes, as readdir(3) returns them.
        let start = memory.advanced(by: page - (offset + name.count + 7) / 8 * 8)
        for (index, byte) in name.enumerated() {
            start.storeBytes(of: byte, toByteOffset: offset + index, as: UInt8.self)
        }
        let entry = start.assumingMemoryBound(to: dirent.self)
        #expect(entry.name == "12" && entry.nameBytes == Array("12".utf8))
    }

    @Test("entries have the names that they were made with, of any length and bytes")
    func names() throws {
        let folder = "/tmp/ubiquity-entries-\(getpid())"
        #expect(mkdir(folder, 0o700) == 0)
        let made = ["a", String(repeating: "n", count: 255), "é\u{301}", "with space"]
        defer {
            for name in made { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        for name in made { close(open("\(folder)/\(name)", O_CREAT | O_WRONLY, 0o600)) }
        let stream = try #require(opendir(folder))
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) { found.append(entry.name) }
        #expect(Set(found) == Set(made + [".", ".."]))
    }
}
