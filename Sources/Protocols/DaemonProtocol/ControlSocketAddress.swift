package import Basics
package import Glibc

/// The address of a control socket. A path of any length works, though `sun_path` has room for 107 bytes (unix(7)).
package enum ControlSocketAddress {
    /// Calls `body` with the address of the socket at `path`, for bind(2) or connect(2).
    package static func with<Result>(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        if path.utf8.count <= capacity { return try address(path, body) }
        // The path is too long: access the directory through a descriptor with a short name in /proc.
        guard let slash = path.lastIndex(of: "/") else { throw Errno(ENAMETOOLONG, "socket") }
        let directory = try check("open") { open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(directory) }
        let short = "/proc/self/fd/\(directory)\(path[slash...])"
        guard short.utf8.count <= capacity else { throw Errno(ENAMETOOLONG, "socket") }
        return try address(short, body)
    }

    /// The last byte of `sun_path` is for the NUL.
    private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private static func address<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return try withUnsafePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic throws(Errno) in
                try body(generic, length)
            }
        }
    }
}
