import Glibc

/// A lock's place in the order of locks: a thread holding a lock takes only locks of higher ranks.
///
/// docs/CONCURRENCY.md says what each guards; a test compares the two. ``RankedMutex`` checks the order in debug builds.
package enum LockRank: UInt, CaseIterable, Sendable {
    case renewing
    case makingRoom
    case tree
    case names
    case backing
    case openFile
    case downloads
    case closes
    case arbiter
    case databaseWriter
    case contentDownload
    case leaf
}

extension LockRank {
    /// Records that the current thread is about to wait for a lock of this rank. Traps if it holds one of this or a
    /// higher rank. Does nothing in release builds.
    @inline(__always)
    package func enter() {
        #if DEBUG
            let held = HeldLocks.current
            precondition(
                held >> rawValue == 0, "\(self) is taken under \(HeldLocks.names(held)): see docs/CONCURRENCY.md")
            HeldLocks.current = held | 1 << rawValue
        #endif
    }

    /// Records that the current thread has released the lock.
    @inline(__always)
    package func leave() {
        #if DEBUG
            HeldLocks.current &= ~(1 << rawValue)
        #endif
    }
}

#if DEBUG
    /// The ranks held by the current thread, a bit each.
    private enum HeldLocks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            let code = pthread_key_create(&key, nil)
            precondition(code == 0, "pthread_key_create: \(code)")
            return key
        }()

        static var current: UInt {
            get { UInt(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }

        static func names(_ held: UInt) -> [LockRank] { LockRank.allCases.filter { held >> $0.rawValue & 1 == 1 } }
    }
#endif
