import Basics
package import Fuse
import Glibc
import LocalMetadata
package import Logging
import Synchronization
package import VirtualFileSystem

/// Joins the kernel's requests with the ``VirtualFileSystem``: translates, replies, and waits where bytes are not here.
///
/// A handle of the kernel is the address of a retained ``OpenHandle``: nothing has to be looked up, and the kernel sends each one
/// back exactly once.
package final class MountedFileSystem: FuseFileSystem {
    let files: VirtualFileSystem
    let backings: BackingTable
    let invalidator: KernelInvalidator
    /// Nil where there is no coordination.
    let turns: (any AccessPermits)?
    let log: Logger
    /// Names and attributes stay valid until they are invalidated, so the timeout is only a safety net.
    let timeout: Duration

    package init(
        _ files: VirtualFileSystem, invalidator: KernelInvalidator, turns: (any AccessPermits)? = nil,
        timeout: Duration = .seconds(3600), log: Logger
    ) {
        self.files = files
        backings = BackingTable(files)
        self.invalidator = invalidator
        self.turns = turns
        self.timeout = timeout
        self.log = log
    }

    /// Has to be called once the session stands, before anything is opened through it can be fast.
    package func attach(_ session: FuseSession) { backings.attach(session) }

    package func start(_ agreement: FuseAgreement) {
        log.info(
            "mounted", metadata: ["protocol": "7.\(agreement.kernelMinor)", "passthrough": "\(agreement.passthrough)"])
    }

    // MARK: Translation

    func code(_ error: any Error) -> Int32 {
        let code = FileSystemError.code(for: error)
        // EIO is our own or the disk's failure: what a program sees as a number has its reason in the log.
        if code == EIO { log.error("a request failed", metadata: ["error": "\(error)"]) }
        return code
    }

    func entry(_ attributes: NodeAttributes) -> FuseEntry { FuseEntry(Self.fuse(attributes), timeout: timeout) }

    /// Of a file that may be open: while it is written its attributes are not to be kept.
    func currentEntry(_ attributes: NodeAttributes) -> FuseEntry {
        var entry = entry(attributes)
        if isWritten(attributes.node) { entry.attributesTimeout = .zero }
        return entry
    }

    /// What is written through a mapping moves size and time without the kernel's notice.
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
