// Tells the thread sanitizer of the slow paths of Swift's Mutex. They are in a library that is not built for it: a lock that was
// handed over by the kernel would look to it as if it had never been let go. To be loaded before that library (LD_PRELOAD).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Absent in programs that are not built for the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT_METHOD void Lock(uint32_t thread, SELF);
typedef SWIFT_METHOD bool TryLock(SELF);
typedef SWIFT_METHOD void Unlock(SELF);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT_METHOD void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT_METHOD bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT_METHOD void unlock(SELF) __asm__(UNLOCK);

SWIFT_METHOD void lock(uint32_t thread, SELF) {
    ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT_METHOD bool try_lock(SELF) {
    bool locked = ((TryLock *)dlsym(RTLD_NEXT, TRY_LOCK))(self);
    if (locked && __tsan_acquire) __tsan_acquire(self);
    return locked;
}

SWIFT_METHOD void unlock(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(self);
}
