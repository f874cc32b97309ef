import Glibc

/// One of a history's two places: a folder and its open files.
struct Side: ~Copyable {
    let root: String
    var slots: [OpenSlot?] = Array(repeating: nil, count: Side.slotCount)

    static let slotCount = 4

    struct OpenSlot {
        let descriptor: Int32
        let flags: OpenFlags
    }

    init(root: String) {
        self.root = root
        // A write to a pipe without a reader must fail (EPIPE) instead of ending the tests.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { for slot in slots { if let slot { Glibc.close(slot.descriptor) } } }

    mutating func closeAll() {
        for index in slots.indices { _ = perform(.close(slot: index)) }
    }

    mutating func perform(_ operation: Operation) -> Outcome {
        switch operation {
        case .open(let slot, let path, let flags, let mode): open(slot, path, flags, mode)
        case .close(let slot): close(slot)
        case .read, .write, .readAt, .writeAt, .seek, .truncateOpen, .allocate, .writeMapped, .copyRange, .sync,
            .changeModeOpen, .setAttributeOpen, .lock, .lockRecord:
            performOpen(operation)
        case .rename, .link, .unlink, .makeFolder, .removeFolder, .makeSymlink, .readSymlink, .makePipe:
            performName(operation)
        case .list(let path, let pause, let removing, let adding):
            FolderScan(root: root, path: path).list(pause: pause, removing: removing, adding: adding)
        case .revisit(let path): FolderScan(root: root, path: path).revisit()
        default: performAttribute(operation)
        }
    }

    /// Restores the current modification time of the folder of `path` after `body`, if there is such a folder.
    mutating func keepingFolderTime(of path: Path, _ body: (inout Side) -> Outcome) -> Outcome {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let folder =
            path.folder.map { $0.withPointer(below: root) { Glibc.open($0, flags) } } ?? Glibc.open(root, flags)
        guard folder >= 0 else { return body(&self) }
        defer { Glibc.close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0 else { return body(&self) }
        defer { futimens(folder, [Operation.TimeChoice.omit.value, status.st_mtim]) }
        return body(&self)
    }

    func with(_ slot: Int, _ body: (OpenSlot) -> Outcome) -> Outcome {
        slots[slot].map(body) ?? .failure(EBADF)
    }

    private mutating func close(_ slot: Int) -> Outcome {
        guard let opened = slots[slot] else { return .failure(EBADF) }
        slots[slot] = nil
        return .done { Glibc.close(opened.descriptor) }
    }

    private mutating func open(_ slot: Int, _ path: Path, _ flags: OpenFlags, _ mode: UInt32) -> Outcome {
        _ = close(slot)
        let opened = path.withPointer(below: root) { path -> Outcome in
            // Opens a pipe without blocking, because an open without a writer would block the test.
            var status = stat()
            let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
            let descriptor = Glibc.open(path, flags.raw | O_CLOEXEC | (isPipe ? O_NONBLOCK : 0), mode)
            return .of { descriptor }
        }
        guard opened.code == 0 else { return opened }
        slots[slot] = OpenSlot(descriptor: Int32(opened.value), flags: flags)
        return Outcome()
    }
}

extension Side {
    /// Returns each open file's attributes that must be the same, even if its name was removed.
    func openStatuses() -> [Outcome] {
        slots.map { slot in
            guard let slot else { return Outcome() }
            var status = stat()
            guard fstat(slot.descriptor, &status) == 0 else { return .failure(errno) }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            return Outcome(value: isFolder ? 0 : Int(status.st_size), bytes: Array("\(status.st_mode)".utf8))
        }
    }
}
