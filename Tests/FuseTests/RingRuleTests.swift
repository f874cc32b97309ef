import CFuse3
import Glibc
import TestSupport
import Testing

@testable import Fuse

@Suite("The rules of a queue, without a kernel")
struct RingRuleTests {
    @Test("A queue begins with a quarter of its entries and grows before it runs out, up to its limit")
    func growth() {
        var counts = RingCounts(total: 8192, queues: 2)
        #expect(counts.limit == 1024 && counts.growth == 256)
        counts.register(256)
        #expect(counts.growth == 0)
        for _ in 0..<129 { counts.receive() }
        #expect(counts.free == 127 && counts.growth == 128)
        counts.register(128)
        for _ in 0..<2000 where counts.free > 0 {
            counts.receive()
            counts.register(counts.growth)
        }
        #expect(counts.entries == 1024 && counts.growth == 0)
    }

    @Test("Each queue has entries, however many processors there are")
    func manyProcessors() {
        for queues in [1, 3, 64, 256, 10_000] {
            let counts = RingCounts(total: 8192, queues: queues)
            #expect(counts.growth >= 1 && counts.growth <= counts.limit && counts.limit >= 4)
        }
    }

    @Test("Requests may be waiting in the kernel from the last free entry on, until a commit fetches none")
    func waiting() {
        var counts = RingCounts(total: 16, queues: 1)
        counts.register(2)
        counts.receive()
        #expect(!counts.mayHaveWaiting)
        counts.receive()
        #expect(counts.mayHaveWaiting)
        // New entries fetch no waiting requests.
        counts.register(2)
        counts.commit()
        #expect(counts.mayHaveWaiting)
        counts.noteNothingWaiting()
        #expect(!counts.mayHaveWaiting)
    }

    @Test("A refused entry ends the growth")
    func refusal() {
        var counts = RingCounts(total: 1024, queues: 1)
        counts.register(8)
        counts.refuse()
        #expect(counts.entries == 7 && counts.free == 7 && counts.growth == 0)
    }

    @Test("What may wait for the disk is handled by a helper, and so is what this version does not know")
    func routes() {
        let long: [FuseRequestCounts.Operation] = [.write, .fsync, .fsyncdir, .syncfs, .fallocate, .copyFileRange]
        for operation in FuseRequestCounts.Operation.allCases {
            #expect(RingRoute(operation.rawValue) == (long.contains(operation) ? .helper : .here), "\(operation)")
        }
        #expect(RingRoute(4711) == .helper)
    }

    @Test("The processors that a machine may have are counted, and any text is refused or counted")
    func processors() {
        func count(_ text: String) -> Int? { PossibleProcessors.count(in: Array(text.utf8)) }
        #expect(count("0\n") == 1 && count("0-1\n") == 2 && count("0-3,8,10-11\n") == 7)
        for text in ["", "\n", "1-", "-1", "3-1", "0-9000", "0,,1", "a", "0-8191,0-8191"] {
            #expect(count(text) == nil)
        }
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let alphabet = Array("0123456789-,\n\u{0}\u{ff}".utf8)
            let text = (0..<Int(random.next() % 12)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            if let count = PossibleProcessors.count(in: text) { #expect((1...8192).contains(count), "seed \(seed)") }
        }
    }

    private func offer(_ flags2: Int) -> kernel_fuse_init_in {
        var offer = kernel_fuse_init_in()
        offer.minor = 45
        offer.flags = UInt32(KERNEL_FUSE_INIT_EXT)
        offer.flags2 = UInt32(flags2)
        return offer
    }

    @Test("io_uring is used only if it is offered, wanted, and passthrough works")
    func agreement() {
        let all = offer(KERNEL_FUSE2_OVER_IO_URING | KERNEL_FUSE2_PASSTHROUGH)
        var unwanted = FuseOptions()
        unwanted.usesRings = false
        var noPassthrough = FuseOptions()
        noPassthrough.usesPassthrough = false
        func mayUse(_ offer: kernel_fuse_init_in, _ options: FuseOptions = FuseOptions(), root: Bool = true) -> Bool {
            FuseAgreement(offer: offer, options: options, isAdministrator: root).mayUseRings
        }
        #expect(mayUse(all))
        #expect(!mayUse(all, root: false))
        #expect(!mayUse(all, unwanted))
        #expect(!mayUse(all, noPassthrough))
        #expect(!mayUse(offer(KERNEL_FUSE2_PASSTHROUGH)))
        #expect(!mayUse(offer(KERNEL_FUSE2_OVER_IO_URING)))
        let reason = FuseAgreement(offer: all, options: FuseOptions(), isAdministrator: false).transport
        #expect(reason == .device(.noPassthrough))
    }

    @Test("The reply to FUSE_INIT accepts io_uring once its queues exist, and bounds requests by an entry's payload")
    func initialReply() {
        let all = offer(KERNEL_FUSE2_OVER_IO_URING | KERNEL_FUSE2_PASSTHROUGH)
        var agreement = FuseAgreement(offer: all, options: FuseOptions(), isAdministrator: true)
        var answer = kernel_fuse_init_out()
        answer.max_write = 1 << 20
        answer.max_pages = 256
        agreement.complete(&answer)
        #expect(answer.flags2 == 1 << 5 && answer.max_write == 1 << 20)
        agreement.transport = .rings(queues: 2)
        agreement.complete(&answer)
        #expect(answer.flags2 == 1 << 5 | 1 << 9 && answer.minor == 42)
        #expect(answer.max_write == 128 << 10 && Int(answer.max_pages) * Int(getpagesize()) == 128 << 10)
    }
}
