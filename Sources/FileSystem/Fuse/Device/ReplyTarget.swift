import CFuse3
import Glibc

/// What to change in a message that libfuse writes, as it has no words for it.
enum ReplyPatch {
    case none
    /// The answer to FUSE_INIT: accept also what the kernel offers and libfuse does not know.
    case initialise(FuseAgreement)
    /// The answer to an open, opendir or create.
    case open(flags: UInt32, backing: Int32)
}

/// Where this thread's next message to the kernel goes. libfuse calls our `writev` and does not say for which request,
/// so the replying thread leaves a note for itself.
struct ReplyTarget {
    let device: Int32
    var patch: ReplyPatch

    private static let slot = ThreadSlot()

    static var current: UnsafeMutablePointer<ReplyTarget>? {
        slot.value?.assumingMemoryBound(to: ReplyTarget.self)
    }

    /// Runs `body` with messages of this thread going to `device`, patched.
    static func with<Result>(device: Int32, patch: ReplyPatch, _ body: () -> Result) -> Result {
        var target = ReplyTarget(device: device, patch: patch)
        let outer = slot.value
        return withUnsafeMutablePointer(to: &target) { pointer in
            slot.value = UnsafeMutableRawPointer(pointer)
            defer { slot.value = outer }
            return body()
        }
    }
}

/// One pointer for each thread, `pthread_key_create(3)`.
struct ThreadSlot: Sendable {
    let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        // Fails only when a process has made PTHREAD_KEYS_MAX (1,024) of them; there are three of ours.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific key is left")
        self.key = key
    }

    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
