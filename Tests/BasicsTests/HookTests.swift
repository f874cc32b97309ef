import Basics
import Synchronization
import Testing

@Suite("Hook")
struct HookTests {
    @Test("the function that was set last is called, and none before one is set")
    func calls() {
        let called = Mutex<[String]>([])
        let hook = Hook<String>()
        hook("none")
        hook.set { word in called.withLock { $0.append("first \(word)") } }
        hook("one")
        hook.set { word in called.withLock { $0.append("second \(word)") } }
        hook("two")
        #expect(called.withLock(\.self) == ["first one", "second two"])
    }

    // A daemon crashed at its hundred-thousandth transaction: each call of a function read from a Mutex was two frames
    // deeper than the last.
    @Test("the call depth does not grow with the number of calls")
    func depth() {
        let addresses = Mutex<[UInt]>([])
        let hook = Hook<Int>()
        hook.set { _ in
            var local = 0
            let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
            addresses.withLock { $0.append(address) }
        }
        for number in 0..<1_000 { hook(number) }
        let all = addresses.withLock(\.self)
        #expect(all.count == 1_000)
        #expect(Set(all).count == 1)
    }
}
