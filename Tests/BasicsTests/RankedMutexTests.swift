import Basics
import Testing

@Suite("The order of locks")
struct RankedMutexTests {
    @Test("locks are taken in the order of their ranks, and again after they were released")
    func order() {
        let gate = RankedMutex(.tree, 1)
        let file = RankedMutex(.openFile, 2)
        let leaf = RankedMutex(.leaf, 3)
        let sum = gate.withLock { one in
            file.withLock { two in leaf.withLock { one + two + $0 } } + leaf.withLock { $0 }
        }
        #expect(sum == 9)
        #expect(file.withLock { two in two + leaf.withLock { $0 } } == 5)
    }

    @Test("a lock that is free may be taken out of order, because that waits for no thread")
    func available() {
        let gate = RankedMutex(.tree, 1)
        let leaf = RankedMutex(.leaf, 3)
        #expect(leaf.withLock { three in gate.withLockIfAvailable { $0 + three } } == 4)
    }

    #if DEBUG
        @Test("a debug build traps on an inversion, and on two locks of one rank")
        func inversion() async {
            await #expect(processExitsWith: .failure) {
                let gate = RankedMutex(.tree, 1)
                let leaf = RankedMutex(.leaf, 3)
                _ = leaf.withLock { three in gate.withLock { $0 + three } }
            }
            await #expect(processExitsWith: .failure) {
                let one = RankedMutex(.leaf, 1)
                let two = RankedMutex(.leaf, 2)
                _ = one.withLock { first in two.withLock { $0 + first } }
            }
        }
    #endif
}
