import DaemonProtocol
import Foundation
import Synchronization
import Testing

@testable import Ubiquity

// The tests run in sequence, because all observe the same notification.
@Suite("The identity of an account", .serialized)
struct IdentityTests {
    private func status(_ cloud: CloudStatus, device: String = "1") -> MountStatus {
        MountStatus(mount: "/m", pid: 1, state: "/s", device: DeviceStatus(name: "d", id: device), cloud: cloud)
    }

    @Test("a token is specific to the program, device, cloud and account, and stays the same")
    func tokens() {
        func token(_ program: String, _ device: String, _ url: String, _ account: String?) -> String? {
            let cloud = CloudStatus(url: url, state: .online, account: account, isSignedIn: account.map { _ in true })
            return UbiquityIdentity(status(cloud, device: device), program: program)?.token
        }
        let tokens = [
            token("a", "1", "file:///c", nil), token("b", "1", "file:///c", nil), token("a", "2", "file:///c", nil),
            token("a", "1", "https://c", "anna"), token("a", "1", "https://c", "berta"),
        ]
        #expect(!tokens.contains(nil) && Set(tokens).count == tokens.count)
        #expect(token("a", "1", "https://c", "anna") == tokens[3])
    }

    @Test("there is no token where the device is not signed in; being offline does not change it")
    func signedOut() {
        let out = CloudStatus(url: "https://c", state: .offline, isSignedIn: false)
        #expect(UbiquityIdentity(status(out), program: "a") == nil)
        let states: [CloudStatus.Reachability] = [.online, .offline]
        let tokens = states.map { state in
            let cloud = CloudStatus(url: "https://c", state: state, account: "anna", isSignedIn: true)
            return UbiquityIdentity(status(cloud), program: "a")?.token
        }
        #expect(tokens[0] != nil && tokens[0] == tokens[1])
    }

    @Test("a change is posted once, whether or not the token was requested; the first value is not a change")
    func watch() {
        let script = Script(["one", "one", nil, nil, "two"])
        let watch = IdentityWatch(look: script.next, wait: script.later)
        let posts = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: IdentityWatch.notification, object: nil, queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        watch.begin()
        watch.begin()
        script.isOver.wait()
        #expect(posts.withLock { $0 } == 2)
    }

    @Test("the next value is compared with the one that was posted last")
    func posted() {
        let script = Script(["two"])
        let watch = IdentityWatch(look: script.next, wait: script.later)
        let posts = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: IdentityWatch.notification, object: nil, queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        watch.note("one")
        script.isOver.wait()
        #expect(posts.withLock { $0 } == 1)
    }
}

/// The tokens returned by successive looks, without pauses between the looks.
private final class Script: Sendable {
    private let looks: Mutex<[String?]>
    let isOver = DispatchSemaphore(value: 0)

    init(_ looks: [String?]) { self.looks = Mutex(looks) }

    func next() -> String? { looks.withLock { $0.removeFirst() } }

    func later(_ block: @escaping @Sendable () -> Void) {
        if looks.withLock({ $0.isEmpty }) { isOver.signal() } else { DispatchQueue.global().async(execute: block) }
    }
}
