import Glibc
import Synchronization
import Testing
import VirtualFileSystem

@testable import ClaimService

@Suite("Permits of plain programs")
struct PlainPermitTests {
    /// The calls that were made, in order.
    private final class Calls: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func note(_ name: String) { names.withLock { $0.append(name) } }

        var turn: PlainPermit { PlainPermit { [self] in note("called off") } }
        var come: PermitOutcome { .come { [self] in note("ended") } }

        func note(_ outcome: PermitOutcome) {
            switch outcome {
            case .come(let end):
                note("come")
                end()
            case .late: note("late")
            case .givenUp: note("given up")
            }
        }
    }

    @Test("a listener is notified once, whether the permit was granted before or after")
    func order() {
        let (early, late) = (Calls(), Calls())
        let first = early.turn
        first.finish(early.come)
        first.whenOver { early.note($0) }
        let second = late.turn
        second.whenOver { late.note($0) }
        second.finish(late.come)
        second.finish(.late)
        #expect(early.all == ["come", "ended"] && late.all == ["come", "ended"])
    }

    @Test("a permit that is granted while it is given up is ended, and holds nothing")
    func givenUp() {
        let calls = Calls()
        let turn = calls.turn
        turn.finish(calls.come)
        turn.giveUp()
        turn.whenOver { calls.note($0) }
        #expect(calls.all == ["ended", "called off"])
        let waiting = Calls()
        let other = waiting.turn
        other.whenOver { waiting.note($0) }
        other.giveUp()
        other.finish(.givenUp)
        #expect(waiting.all == ["called off", "given up"])
    }

    @Test("a permit that is granted after it was given up is ended, as it has no listener")
    func comesLate() {
        let calls = Calls()
        let turn = calls.turn
        turn.giveUp()
        turn.finish(calls.come)
        turn.whenOver { calls.note($0) }
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
