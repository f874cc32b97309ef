import Basics
package import Fuse
import Glibc
import LocalMetadata
package import Logging
import Synchronization
package import VirtualFileSystem

/// Connects the kernel's requests to the ``VirtualFileSystem``: translates them, replies, and waits for missing bytes.
///
/// A kernel handle is the address of a retained ``OpenHandle``: no lookup is needed, and the kernel releases each
/// handle exactly once.
package final class MountedFileSystem: FuseFileSystem {
    let files: VirtualFileSystem
    let backings: BackingTable
    let invalidator: KernelInvalidator
    /// The permits for opens; nil without coordination.
    let permits: (any AccessPermits)?
    let announcements: Announcements
    /// The programs' download permits; nil: everything.
    let downloads: (any DownloadPermits)?
    let log: Logger
    /// Names and attributes stay valid until they are invalidated, so the timeout is only a safety net.
    let timeout: Duration
    /// Whether `ENOSYS` for an opendir or a link saves all later ones (``FuseAgreement``).
    let needsNoOpendir = Atomic(false)
    let needsNoLink = Atomic(false)

    package init(
        _ files: VirtualFileSystem, invalidator: KernelInvalidator, permits: (any AccessPermits)? = nil,
        downloads: (any DownloadPermits)? = nil, announcements: Announcements = Announcements(),
        timeout: Duration = .seconds(3600), log: Logger
    ) {
        self.files = files
        backings = BackingTable(files)
        self.invalidator = invalidator
        self.permits = permits
        self.announcements = announcements
        self.downloads = downloads
        self.timeout = timeout
        self.log = log
    }

    /// Attaches the mounted session. Has to be called before a file can be opened in passthrough mode.
    package func attach(_ session: FuseSession) { backings.attach(session) }

    package func start(_ agreement: FuseAgreement) {
        needsNoOpendir.store(agreement.needsNoOpendir, ordering: .relaxed)
        needsNoLink.store(agreement.needsNoLink, ordering: .relaxed)
        log.info(
            "mounted",
            metadata: [
                "protocol": "7.\(agreement.kernelMinor)", "passthrough": "\(agreement.passthrough)",
                "requests": "\(agreement.transport)",
            ])
    }

    // MARK: Translation

    func code(_ error: any Error) -> Int32 {
        let code = FileSystemError.code(for: error)
        // EIO is a failure of the daemon or the disk: a program sees only the number, so the reason is logged.
        if code == EIO { log.error("a request failed", metadata: ["error": "\(error)"]) }
        return code
    }

    func entry(_ attributes: NodeAttributes) -> FuseEntry { FuseEntry(Self.fuse(attributes), timeout: timeout) }

    /// Returns the entry of a possibly open file: the kernel must not cache its attributes while it is written.
    func currentEntry(_ attributes: NodeAttributes) -> FuseEntry {
        var entry = entry(attributes)
        if isWritten(attributes.node) { entry.attributesTimeout = .zero }
        return entry
    }

    /// Returns whether a handle writes the node. Writes through a mapping change size and times without the kernel
    /// noticing.
    func isWritten(_ node: NodeID) -> Bool {
        files.isOpenForWriting(node)
    }

    static func fuse(_ attributes: NodeAttributes) -> FuseAttributes {
        var result = FuseAttributes(
            node: attributes.node.value, mode: mode(attributes), user: attributes.user, group: attributes.group,
            size: Int64(clamping: attributes.size), modificationTime: attributes.modified)
        result.linkCount = UInt64(attributes.links)
        result.blocks = Int64(clamping: attributes.blocks)
        result.accessTime = attributes.accessed
        result.changeTime = attributes.changed
        return result
    }

    private static func mode(_ attributes: NodeAttributes) -> UInt32 {
        let type =
            switch attributes.kind {
            case .folder: S_IFDIR
            case .file: S_IFREG
            case .symlink: S_IFLNK
            case .pipe: S_IFIFO
            case .socket: S_IFSOCK
            }
        return type | UInt32(attributes.permissions)
    }

    func caller(_ context: FuseContext) -> Caller { Caller(user: context.user, group: context.group) }

    // MARK: Handles

    func retain(_ handle: OpenHandle) -> FuseHandle {
        UInt64(UInt(bitPattern: Unmanaged.passRetained(handle).toOpaque()))
    }

    func handle(_ handle: FuseHandle) -> OpenHandle? {
        UnsafeRawPointer(bitPattern: UInt(handle)).map { Unmanaged<OpenHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    func takeBack(_ handle: FuseHandle) -> OpenHandle? {
        UnsafeRawPointer(bitPattern: UInt(handle)).map { Unmanaged<OpenHandle>.fromOpaque($0).takeRetainedValue() }
    }
}
