import Basics
import Glibc
import Synchronization
import TestSupport

/// A server with every byte decided by a test. The script handles each connection on a separate thread.
final class ScriptedServer: Sendable {
    /// A connection, used by its thread only.
    struct Connection {
        let descriptor: Int32

        /// Returns the head of the next request and reads nothing after it; nil if the client has closed the
        /// connection.
        func readHead() -> String? {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        func read(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 64 << 10)
            while bytes.count < count {
                let received = recv(descriptor, &part, min(part.count, count - bytes.count), 0)
                guard received > 0 else { break }
                bytes += part[..<received]
            }
            return bytes
        }

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }

        func send(_ text: String) { send([UInt8](text.utf8)) }

        /// Sends until the client takes no more.
        ///
        /// - Returns: The sent bytes.
        func sendUntilFull(_ bytes: [UInt8]) -> Int {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(
                        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if count > 0 {
                    sent += count
                    continue
                }
                // Full for a fifth of a second: the client has stopped, and is not merely slow.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&waiting, 1, 200) == 0 { return sent }
            }
            return sent
        }

        /// Returns once the client has closed the connection.
        func waitForEnd() { while !read(1).isEmpty {} }
    }

    let url: String
    private let listener: Int32
    private let heads = Mutex<[String]>([])

    private let count = Mutex(0)

    /// The number of connections so far.
    var accepted: Int { count.withLock { $0 } }

    /// The heads of the requests so far.
    var requests: [String] { heads.withLock { $0 } }

    init(_ script: @escaping @Sendable (Connection, _ head: String, _ request: Int) -> Bool) throws {
        listener = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try check("bind") { bind(listener, address, size) }
                try check("listen") { listen(listener, 64) }
                try check("getsockname") { getsockname(listener, address, &size) }
            }
        }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        try OwnThread.detach("scripted") { [weak self] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                guard let self else { break }
                self.count.withLock { $0 += 1 }
                self.serve(Connection(descriptor: descriptor), script)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(
        _ connection: Connection, _ script: @escaping @Sendable (Connection, String, Int) -> Bool
    ) {
        try? OwnThread.detach("connection") { [weak self] in
            while let head = connection.readHead() {
                let number = self?.heads.withLock { heads in
                    heads.append(head)
                    return heads.count
                }
                guard script(connection, head, number ?? 0) else { break }
            }
            close(connection.descriptor)
        }
    }
}
