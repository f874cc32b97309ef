import Glibc
import PowerLoss
import Synchronization

/// Turns chosen file syncs in this process into no-ops. The two functions below take precedence over those of the C
/// library, for the project's code and for SQLite; the programs of the project do not contain them.
enum LeftOutSyncs {
    static let bug = Mutex<DurabilityBug?>(nil)
    /// Whether all syncs are left out, because every state checked after a crash is discarded.
    static let all = Atomic(false)

    fileprivate typealias Call = @convention(c) (Int32) -> Int32

    fileprivate static func sync(_ file: Int32, by name: String) -> Int32 {
        if all.load(ordering: .relaxed) { return 0 }
        if let bug = bug.withLock({ $0 }), bug.ignores(path(of: file)) { return 0 }
        // RTLD_NEXT of dlsym(3), a macro not imported by Swift, finds the library's own function.
        guard let function = dlsym(UnsafeMutableRawPointer(bitPattern: -1), name) else {
            errno = ENOSYS
            return -1
        }
        return unsafeBitCast(function, to: Call.self)(file)
    }

    private static func path(of file: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(file)", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

@_cdecl("fsync")
func syncInPlaceOfTheLibrary(_ file: Int32) -> Int32 { LeftOutSyncs.sync(file, by: "fsync") }

@_cdecl("fdatasync")
func syncDataInPlaceOfTheLibrary(_ file: Int32) -> Int32 { LeftOutSyncs.sync(file, by: "fdatasync") }
