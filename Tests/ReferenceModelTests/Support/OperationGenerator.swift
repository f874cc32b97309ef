import DeviceSupport
import Glibc
import TestSupport

/// Generates random operations on few names and sizes, so that they affect each other.
struct OperationGenerator {
    private(set) var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let names = ["a", "b", "c"]
    private static let offsets = [0, 1, 100, 4095, 4096, 4097, 8191, 65_535, 65_536, 131_072, 200_001]
    private static let counts = [0, 1, 7, 100, 4096, 5000, 65_536, 70_000]
    private static let modes: [UInt32] = [0o644, 0o600, 0o755, 0o444, 0, 0o4755, 0o2711, 0o1777]
    private static let attributes = ["user.one", "user.two", "user.\u{fc}", "user.", "other.name", "user"]

    mutating func next() -> Operation {
        switch random.number(0..<100) {
        case ..<18: nextOpen()
        case ..<44: nextOnOpenFile()
        case ..<72: nextOnName()
        case ..<92: nextOnAttribute()
        default: nextOnFolder()
        }
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[random.number(0..<choices.count)] }

    mutating func number(below limit: Int) -> Int { random.number(0..<limit) }

    private mutating func slot() -> Int { random.number(0..<Side.slotCount) }

    // MARK: Paths

    private mutating func name() -> [UInt8] {
        switch random.number(0..<200) {
        case 0: Array(repeating: UInt8(ascii: "n"), count: 255)
        case 1: Array(repeating: UInt8(ascii: "n"), count: 256)
        case 2: [0xff, 0xfe]
        case 3...8: Array("x~".utf8)
        default: Array(pick(Self.names).utf8)
        }
    }

    mutating func path() -> Path {
        var path = Path(bytes: name())
        while path.bytes.count < 512, random.chance(35) { path = path.appending(name()) }
        switch random.number(0..<120) {
        case 0: return Path("")
        case 1...3: return path.appending([])
        case 4: return path.appending(Array(".".utf8))
        case 5: return path.appending(Array("..".utf8))
        default: return path
        }
    }

    // MARK: Operations

    private mutating func nextOpen() -> Operation {
        if random.chance(25) { return .close(slot: slot()) }
        var flags = pick([O_RDONLY, O_WRONLY, O_RDWR, O_RDWR, O_RDWR])
        for (flag, percent) in [
            (O_CREAT, 60), (O_EXCL, 8), (O_TRUNC, 12), (O_APPEND, 15), (O_NOFOLLOW, 8), (O_DIRECTORY, 4),
            (O_SYNC, 4), (OpenFlags.direct, 8), (OpenFlags.path, 2),
        ] where random.chance(percent) { flags |= flag }
        return .open(slot: slot(), path(), flags: OpenFlags(raw: flags), mode: pick(Self.modes))
    }

    /// Returns an operation with arguments that no correct program passes, except those for which FUSE allows more than
    /// a disk does.
    private mutating func nextExtreme(_ slot: Int) -> Operation {
        let (offset, count) = (pick([-1, .min, .max - 4095, .max]), pick(Self.counts))
        return switch random.number(0..<7) {
        case 0: .readAt(slot: slot, offset: offset, count: count)
        case 1: .writeAt(slot: slot, offset: offset, count: count, seed: 1)
        case 2: .seek(slot: slot, offset: offset, whence: pick([.data, .hole]))
        case 3: .truncateOpen(slot: slot, size: offset)
        case 4: .allocate(slot: slot, mode: pick([0, 1, 3, 0x10]), offset: offset, count: count)
        case 5: .allocate(slot: slot, mode: pick([0, 1, 3, 0x10]), offset: count, count: offset)
        default: .copyRange(from: slot, offset: offset, to: self.slot(), at: pick(Self.offsets), count: count)
        }
    }

    private mutating func nextOnOpenFile() -> Operation {
        let (slot, offset, count, seed) = (slot(), pick(Self.offsets), pick(Self.counts), random.number(0..<32))
        if random.chance(4) { return nextExtreme(slot) }
        return switch random.number(0..<36) {
        case 0...2: .read(slot: slot, count: count)
        case 3...7: .write(slot: slot, count: count, seed: seed)
        case 8...9: .readAt(slot: slot, offset: offset, count: count)
        case 10...15: .writeAt(slot: slot, offset: offset, count: count, seed: seed)
        case 16...18: .seek(slot: slot, offset: offset, whence: pick([.start, .start, .end, .data, .hole]))
        case 19...21: .truncateOpen(slot: slot, size: offset)
        // Plain, KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE with and without KEEP_SIZE, and invalid modes.
        case 22...23: .allocate(slot: slot, mode: pick([0, 1, 3, 0x10, 0x11, 2, 4]), offset: offset, count: count)
        case 24...25: .writeMapped(slot: slot, offset: offset, count: count, seed: seed)
        case 26...28: .copyRange(from: slot, offset: offset, to: self.slot(), at: pick(Self.offsets), count: count)
        case 29: .sync(slot: slot)
        case 30...31: .changeModeOpen(slot: slot, mode: pick(Self.modes))
        case 32: .setAttributeOpen(slot: slot, pick(Self.attributes), count: count % 200)
        case 33: .lock(slot: slot, operation: pick([LOCK_SH, LOCK_EX, LOCK_UN]))
        default: .lockRecord(slot: slot, type: pick([0, 1, 2]), offset: offset, count: count)
        }
    }

    private mutating func nextOnName() -> Operation {
        switch random.number(0..<26) {
        case 0...9: .rename(path(), path(), flags: pick([0, 0, 0, 0, 1, 2, 2, 3, 8]))
        case 10...14: .unlink(path())
        case 15...18: .makeFolder(path(), mode: pick(Self.modes))
        case 19...20: .removeFolder(path())
        case 21...22: .makeSymlink(target: pick([path(), Path("../a"), Path("../../b")]), path())
        case 23: .readSymlink(path())
        case 24: .makePipe(path())
        default: .link(path(), path())
        }
    }

    private mutating func nextOnAttribute() -> Operation {
        let path = path()
        return switch random.number(0..<24) {
        case 0...3: .truncate(path, size: pick(Self.offsets))
        case 4...7: .changeMode(path, mode: pick(Self.modes))
        case 8: .changeOwner(path, isNone: random.chance(50))
        case 9...13: .setTimes(path, access: time(), modification: time(), follows: random.chance(50))
        case 14: .status(path, follows: random.chance(50))
        case 15: .access(path, mode: pick([0, 1, 2, 4, 7]))
        case 16...18:
            .setAttribute(
                path, pick(Self.attributes), count: pick([0, 1, 10, 500]), flags: pick([0, 0, 0, 1, 2]))
        case 19: .getAttribute(path, pick(Self.attributes))
        case 20: .listAttributes(path)
        case 21...22: .removeAttribute(path, pick(Self.attributes))
        default: .fileSystem(path)
        }
    }

    private mutating func time() -> Operation.TimeChoice {
        pick([
            .now, .omit, .at(seconds: 1_000_000_000, nanoseconds: 123_456_789), .at(seconds: -5, nanoseconds: 1),
            .at(seconds: 1_000_000_000, nanoseconds: 123_456_789), .at(seconds: -5, nanoseconds: 1),
            .at(seconds: pick([-1 << 40, .min]), nanoseconds: pick([0, 999_999_999, 1_000_000_000])),
        ])
    }

    private mutating func nextOnFolder() -> Operation {
        if random.chance(30) { return .revisit(path()) }
        let removing = random.chance(50) ? Path(bytes: name()) : nil
        let adding = random.chance(50) ? Path(bytes: name()) : nil
        return .list(path(), pause: random.number(0..<4), removing: removing, adding: adding)
    }
}
