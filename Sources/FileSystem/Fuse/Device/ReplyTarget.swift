import CFuse3
import Glibc

/// A change to a message written by libfuse, for fields it does not support.
enum ReplyPatch {
    case none
    /// Completes the reply to FUSE_INIT: it also accepts offers unknown to libfuse.
    case initialise(FuseAgreement)
    /// Completes the reply to an open, opendir or create.
    case open(flags: UInt32, backing: Int32)
}

/// The target of this thread's next message to the kernel. libfuse calls the custom `writev` without specifying the
/// request, so the replying thread stores the target in a thread-local slot.
struct ReplyTarget {
    let channel: ReplyChannel
    var patch: ReplyPatch

    private static let slot = ThreadSlot()

    static var current: UnsafeMutablePointer<ReplyTarget>? {
        slot.value?.assumingMemoryBound(to: ReplyTarget.self)
    }

    /// Runs `body`, sending this thread's messages by `channel` with `patch` applied.
    static func with<Result>(channel: ReplyChannel, patch: ReplyPatch, _ body: () -> Result) -> Result {
        var target = ReplyTarget(channel: channel, patch: patch)
        let outer = slot.value
        return withUnsafeMutablePointer(to: &target) { pointer in
            slot.value = UnsafeMutableRawPointer(pointer)
            defer { slot.value = outer }
            return body()
        }
    }
}

/// One pointer per thread, `pthread_key_create(3)`.
struct ThreadSlot: Sendable {
    let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        // Fails only when a process has created PTHREAD_KEYS_MAX (1,024) of them; this module has three.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific key is left")
        self.key = key
    }

    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
