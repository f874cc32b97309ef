import Basics
import CFuse3
import Glibc
import Logging
import Synchronization

/// libfuse's session and its descriptors. Lives until its last request is replied to and its last reader has ended,
/// because libfuse frees the session they all point to.
///
/// @unchecked: `session` is libfuse's pointer, with internal locks; everything else is constant or guarded.
final class FuseConnection: @unchecked Sendable {
    let session: OpaquePointer
    /// The first descriptor is the mounted one, the rest are clones of it; one per reader or a shared one for all.
    let devices: [Int32]
    let fileSystem: any FuseFileSystem
    let options: FuseOptions
    let logger: Logger
    let interrupts = InterruptHandlers()
    let counts = FuseRequestCounts()
    let lifecycle = FuseLifecycle()
    private let hasSevered = Atomic(false)
    private let ringTransport = Mutex<RingTransport?>(nil)

    /// Takes over `device`, a mounted /dev/fuse, closed on failure too.
    init(device: Int32, fileSystem: any FuseFileSystem, options: FuseOptions, logger: Logger) throws(FuseError) {
        guard let session = Self.makeSession(device) else {
            close(device)
            throw FuseError(.library, "libfuse could not create a session; its message is on standard error.")
        }
        self.session = session
        self.fileSystem = fileSystem
        self.options = options
        self.logger = logger
        devices = [device] + Self.clones(of: device, count: options.clonesDevice ? options.readerCount - 1 : 0)
    }

    deinit {
        // Closes the first device too.
        fuse_session_destroy(session)
        for device in devices.dropFirst() { close(device) }
    }

    /// The mount's queues; nil if all its requests come from the descriptors.
    var rings: RingTransport? { ringTransport.withLock { $0 } }

    /// Creates the queues, during FUSE_INIT.
    ///
    /// - Returns: The transport to agree on with the kernel.
    func openRings(_ close: @escaping @Sendable () -> Void) -> FuseTransport {
        // The kernel repeats FUSE_INIT if the versions of the protocol differ.
        if let rings { return rings.transport }
        do throws(Errno) {
            let rings = try RingTransport(device: devices[0], options: options)
            try rings.start(self, close: close)
            ringTransport.withLock { $0 = rings }
            return rings.transport
        } catch {
            return .device(.refused("\(error)"))
        }
    }

    func device(ofReader index: Int) -> Int32 { devices[index % devices.count] }

    /// Whether replies no longer reach a kernel, though writing them to the descriptors succeeds.
    var isSevered: Bool { hasSevered.load(ordering: .sequentiallyConsistent) }

    /// Ends the connection: programs with open files get ENOTCONN. The numbers of the descriptors stay in use until the
    /// last request is replied to, so no late reply can reach a different file with the same number.
    func sever() {
        hasSevered.store(true, ordering: .sequentiallyConsistent)
        let void = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard void >= 0 else {
            logger.error("The file system cannot be detached from the kernel: opening /dev/null failed.")
            return
        }
        for device in devices { cfuse_replace(void, device) }
        close(void)
    }

    private static func makeSession(_ device: Int32) -> OpaquePointer? {
        var operations = FuseOperations.table
        let session = "ubiquity".withCString { name in
            var words: [UnsafeMutablePointer<CChar>?] = [UnsafeMutablePointer(mutating: name), nil]
            return words.withUnsafeMutableBufferPointer { words in
                var arguments = fuse_args(argc: 1, argv: words.baseAddress, allocated: 0)
                return cfuse_session_new(&arguments, &operations, nil)
            }
        }
        guard let session else { return nil }
        var calls = DeviceIO.calls
        // Sets the session's descriptor as well, since libfuse does not mount anything itself.
        guard fuse_session_custom_io(session, &calls, device) == 0 else {
            fuse_session_destroy(session)
            return nil
        }
        return session
    }

    /// Returns more channels of the same connection; none if /dev/fuse cannot be opened: all readers then share the
    /// first.
    private static func clones(of device: Int32, count: Int) -> [Int32] {
        var clones: [Int32] = []
        for _ in 0..<max(0, count) {
            let clone = open("/dev/fuse", O_RDWR | O_CLOEXEC)
            guard clone >= 0 else { return clones }
            guard kernel_fuse_clone(clone, device) == 0 else {
                close(clone)
                return clones
            }
            clones.append(clone)
        }
        return clones
    }
}
