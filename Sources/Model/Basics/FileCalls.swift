package import Glibc

/// The system calls made by ``DurableFile``; a test passes its own calls to cause a failure, or to simulate a power
/// failure between two.
///
/// As in C, -1 is a failure and `errno` holds the error. Names are relative to the open folder `folder`.
package protocol FileCalls: Sendable {
    func open(_ name: String, in folder: Int32, _ flags: Int32, _ mode: mode_t) -> Int32
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    func sync(_ file: Int32) -> Int32
    func rename(_ name: String, to other: String, in folder: Int32) -> Int32
    func remove(_ name: String, in folder: Int32) -> Int32
    func close(_ file: Int32)
}

/// The system calls of the kernel.
package struct KernelFileCalls: FileCalls {
    package init() {}

    package func open(_ name: String, in folder: Int32, _ flags: Int32, _ mode: mode_t) -> Int32 {
        openat(folder, name, flags, mode)
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.write(file, bytes.baseAddress, bytes.count)
    }

    package func sync(_ file: Int32) -> Int32 { fsync(file) }

    package func rename(_ name: String, to other: String, in folder: Int32) -> Int32 {
        renameat(folder, name, folder, other)
    }

    package func remove(_ name: String, in folder: Int32) -> Int32 { unlinkat(folder, name, 0) }

    package func close(_ file: Int32) { _ = Glibc.close(file) }
}
