import CFuse3
import Glibc
import Testing

@testable import Fuse

@Suite("The FUSE protocol, without a kernel")
struct FuseProtocolTests {
    private func offer(_ flags: Int, _ flags2: Int = 0) -> kernel_fuse_init_in {
        var offer = kernel_fuse_init_in()
        offer.minor = 45
        offer.flags = UInt32(flags)
        offer.flags2 = UInt32(flags2)
        return offer
    }

    @Test("Passthrough is used only if it is offered in the extended flags and wanted")
    func passthroughAgreement() {
        let extended = KERNEL_FUSE_INIT_EXT
        var unwanted = FuseOptions()
        unwanted.usesPassthrough = false
        #expect(FuseAgreement(offer: offer(extended, KERNEL_FUSE2_PASSTHROUGH), options: FuseOptions()).passthrough)
        #expect(!FuseAgreement(offer: offer(0, KERNEL_FUSE2_PASSTHROUGH), options: FuseOptions()).passthrough)
        #expect(!FuseAgreement(offer: offer(extended), options: FuseOptions()).passthrough)
        #expect(!FuseAgreement(offer: offer(extended, KERNEL_FUSE2_PASSTHROUGH), options: unwanted).passthrough)
    }

    @Test("The reply to FUSE_INIT is changed only in the agreed fields")
    func initialAnswer() {
        var answer = kernel_fuse_init_out()
        answer.minor = 38
        answer.flags = 1
        FuseAgreement(offer: offer(0), options: FuseOptions()).complete(&answer)
        #expect(answer.minor == 38 && answer.flags == 1 && answer.flags2 == 0 && answer.max_stack_depth == 0)
        let all = offer(KERNEL_FUSE_INIT_EXT | KERNEL_FUSE_HANDLE_KILLPRIV_V2, KERNEL_FUSE2_PASSTHROUGH)
        FuseAgreement(offer: all, options: FuseOptions()).complete(&answer)
        #expect(answer.minor == 40 && answer.max_stack_depth == 1 && answer.flags2 == 1 << 5)
        #expect(answer.flags == 1 | 1 << 28 | 1 << 30)
    }

    @Test("Files that are open for direct input can be mapped where the kernel offers it")
    func directMappings() {
        var answer = kernel_fuse_init_out()
        answer.minor = 38
        let direct = offer(KERNEL_FUSE_INIT_EXT, KERNEL_FUSE2_DIRECT_IO_ALLOW_MMAP)
        FuseAgreement(offer: direct, options: FuseOptions()).complete(&answer)
        #expect(answer.minor == 38 && answer.flags == 1 << 30 && answer.flags2 == 1 << 4)
    }

    @Test("An open with a backing file leaves out the options that the kernel refuses together with one")
    func openOptions() {
        let opened = FuseOpened(
            handle: 1, options: [.keepCache, .noFlush, .nonSeekable], backing: FuseBacking(id: 7))
        guard case .open(let flags, let backing) = opened.patch else {
            Issue.record("not an open")
            return
        }
        #expect(flags == UInt32(KERNEL_FOPEN_PASSTHROUGH | KERNEL_FOPEN_NOFLUSH))
        #expect(backing == 7)
    }

    @Test("A patch reaches the open at the end of a create's reply, and leaves errors unchanged")
    func openPatch() {
        var header = kernel_fuse_out_header()
        var body = [UInt8](repeating: 0, count: 128 + MemoryLayout<kernel_fuse_open_out>.size)
        withUnsafeMutablePointer(to: &header) { header in
            body.withUnsafeMutableBytes { body in
                var vectors = [
                    iovec(iov_base: header, iov_len: MemoryLayout<kernel_fuse_out_header>.size),
                    iovec(iov_base: body.baseAddress, iov_len: body.count),
                ]
                ReplyPatch.open(flags: 5, backing: 9).apply(to: &vectors, count: 1)
                #expect(body.allSatisfy { $0 == 0 })
                ReplyPatch.open(flags: 5, backing: 9).apply(to: &vectors, count: 2)
                let opened = body.loadUnaligned(fromByteOffset: 128, as: kernel_fuse_open_out.self)
                #expect(opened.open_flags == 5 && opened.backing_id == 9 && opened.fh == 0)
                #expect(body[..<128].allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("Exactly the attributes that the request names are set")
    func setAttributes() {
        var status = stat()
        status.st_mode = 0o640
        status.st_size = 5
        // A chown(2) of neither owner nor group names no attribute, but clears the set-id bits.
        var nothing = FuseSetAttributes()
        nothing.clearsSetID = true
        #expect(FuseSetAttributes(status, valid: 0) == nothing)
        let some = FuseSetAttributes(status, valid: FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME_NOW | FUSE_SET_ATTR_MTIME)
        #expect(some.size == 5 && some.modificationTime == .now && some.mode == nil && some.accessTime == nil)
        #expect(FuseSetAttributes(status, valid: 1 << 11).clearsSetID)
    }

    @Test("A folder's buffer takes entries as long as they fit")
    func directoryBuffer() {
        var buffer = FuseDirectoryBuffer<FuseReply.Directory>(size: 70)
        // An entry takes 24 bytes and its name, rounded up to a multiple of eight.
        let first = buffer.add(Array("12345678".utf8), node: 2, mode: S_IFREG, next: 1)
        let second = buffer.add(Array("123456789".utf8).dropLast(), node: 3, mode: S_IFDIR, next: 2)
        let third = buffer.add(Array("x".utf8), node: 4, mode: S_IFREG, next: 3)
        #expect([first, second, third] == [true, true, false])
        let used = buffer.bytes.count
        #expect(used == 64)
    }
}
