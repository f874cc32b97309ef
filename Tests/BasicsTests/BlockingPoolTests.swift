import Basics
import Glibc
import Synchronization
import Testing

@Suite struct BlockingPoolTests {
    @Test("Work runs on a thread with the pool's name, and its result or error is returned")
    func results() async throws {
        let pool = try BlockingPool(name: "a-rather-long-name", threads: 1)
        let name = try await pool.run { try threadName() }
        #expect(name == "a-rather-long-n")
        await #expect(throws: Errno(ENOENT)) { try await pool.run { () throws(Errno) in throw Errno(ENOENT) } }
    }

    @Test("Urgent jobs run before jobs that are already waiting")
    func urgent() async throws {
        let pool = try BlockingPool(name: "order", threads: 1)
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            // The pool's only thread hands all of them over, so none can start before the last submission.
            pool.submit {
                pool.submit { order.withLock { $0.append(1) } }
                pool.submit {
                    order.withLock { $0.append(2) }; continuation.resume()
                }
                pool.submit(urgent: true) { order.withLock { $0.append(0) } }
            }
        }
        #expect(order.withLock { $0 } == [0, 1, 2])
    }

    @Test("Jobs that were submitted run even if the pool is released at once")
    func drained() async throws {
        let done = Mutex(0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            guard let pool = try? BlockingPool(name: "short") else { return continuation.resume() }
            for _ in 0..<100 {
                pool.submit {
                    let isLast = done.withLock { count in
                        count += 1
                        return count == 100
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(done.withLock { $0 } == 100)
    }
}

private func threadName() throws -> String {
    let file = try check("open") { open("/proc/thread-self/comm", O_RDONLY) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = try check("read") { read(file, &bytes, 32) }
    return String(decoding: bytes.prefix(count - 1), as: UTF8.self)
}
