import Glibc
import Synchronization
import Testing
import VirtualFileSystem

@testable import ClaimService

@Suite("Permits of plain programs")
struct PlainPermitTests {
    /// All calls, in order.
    private final class Calls: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func note(_ name: String) { names.withLock { $0.append(name) } }

        var permit: PlainPermit { PlainPermit { [self] in note("called off") } }
        var granted: PermitOutcome { .granted { [self] in note("ended") } }

        func note(_ outcome: PermitOutcome) {
            switch outcome {
            case .granted(let end):
                note("granted")
                end()
            case .timedOut: note("late")
            case .cancelled: note("given up")
            }
        }
    }

    @Test("a listener is notified once, whether the permit was granted before or after")
    func order() {
        let (early, late) = (Calls(), Calls())
        let first = early.permit
        first.finish(early.granted)
        first.whenDecided { early.note($0) }
        let second = late.permit
        second.whenDecided { late.note($0) }
        second.finish(late.granted)
        second.finish(.timedOut)
        #expect(early.all == ["granted", "ended"] && late.all == ["granted", "ended"])
    }

    @Test("a permit that is granted while it is given up is ended, and holds nothing")
    func givenUp() {
        let calls = Calls()
        let permit = calls.permit
        permit.finish(calls.granted)
        permit.cancel()
        permit.whenDecided { calls.note($0) }
        #expect(calls.all == ["ended", "called off"])
        let waiting = Calls()
        let other = waiting.permit
        other.whenDecided { waiting.note($0) }
        other.cancel()
        other.finish(.cancelled)
        #expect(waiting.all == ["called off", "given up"])
    }

    @Test("a permit that is granted after it was given up is ended, as it has no listener")
    func comesLate() {
        let calls = Calls()
        let permit = calls.permit
        permit.cancel()
        permit.finish(calls.granted)
        permit.whenDecided { calls.note($0) }
        #expect(calls.all == ["called off", "ended", "given up"])
    }

    @Test("a program's family is the program and its ancestors; a program that has exited has no family")
    func family() {
        let family = ProcessFamily.ancestors(of: getpid())
        #expect(family.first == getpid() && family.dropFirst().first == getppid())
        #expect(ProcessFamily.ancestors(of: Int32.max).isEmpty)
        #expect(ProcessFamily.surroundingClaim(of: Int32.max) == nil)
    }
}
