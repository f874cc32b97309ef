// seccomp_unotify(2): one process inspects the system calls of another and decides whether they run.
#ifndef UBIQUITY_CFAULTS_H
#define UBIQUITY_CFAULTS_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { faults_most_calls = 200 };

// Installs a filter that blocks every call with one of these numbers, of this process and its descendants, until the
// listener responds. Returns the close-on-exec descriptor from which the calls are read; -1 and errno on failure.
static inline int faults_watch(const int32_t *calls, int count) {
    struct sock_filter filter[faults_most_calls + 3];
    if (count > faults_most_calls) { errno = EINVAL; return -1; }
    int last = 0;
    filter[last++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++)
        filter[last++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (uint8_t)(count - i), 0);
    filter[last++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[last++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {(unsigned short)last, filter};
    // All signals but fatal ones wait for the response, so that no call is reported twice.
    unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

// Receives the next waiting call. Returns 0, or -1 and errno: ENOENT if its process has ended meanwhile.
static inline int faults_receive(int listener, struct seccomp_notif *call) {
    memset(call, 0, sizeof *call);
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call);
}

// Lets a call proceed if `error` is 0; otherwise the call fails with that number and is not executed.
static inline int faults_respond(int listener, uint64_t identifier, int32_t error) {
    struct seccomp_notif_resp response = {identifier, 0, -error, error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

// pidfd_getfd(2): duplicates a descriptor of another process into this one. Returns -1 and errno on failure.
static inline int faults_take(pid_t process, int descriptor) {
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    if (handle < 0) return -1;
    int taken = (int)syscall(SYS_pidfd_getfd, handle, descriptor, 0);
    int error = errno;
    close(handle);
    errno = error;
    return taken;
}

// System call numbers, -1 where the processor has no such call: Swift does not import a macro that expands to a macro.
#define FAULTS_CALL(name) static const int32_t faults_##name = SYS_##name
FAULTS_CALL(copy_file_range);
FAULTS_CALL(fallocate);
FAULTS_CALL(fchmod);
FAULTS_CALL(fdatasync);
FAULTS_CALL(fsync);
FAULTS_CALL(ftruncate);
FAULTS_CALL(ioctl);
FAULTS_CALL(linkat);
FAULTS_CALL(mkdirat);
FAULTS_CALL(openat);
FAULTS_CALL(pread64);
FAULTS_CALL(pwrite64);
FAULTS_CALL(read);
FAULTS_CALL(renameat2);
FAULTS_CALL(syncfs);
FAULTS_CALL(unlinkat);
FAULTS_CALL(utimensat);
FAULTS_CALL(write);
FAULTS_CALL(writev);
#ifdef SYS_renameat
FAULTS_CALL(renameat);
#else
static const int32_t faults_renameat = -1;
#endif
#ifdef SYS_rename
FAULTS_CALL(link);
FAULTS_CALL(mkdir);
FAULTS_CALL(rename);
FAULTS_CALL(rmdir);
FAULTS_CALL(unlink);
#else
static const int32_t faults_link = -1, faults_mkdir = -1, faults_rename = -1, faults_rmdir = -1, faults_unlink = -1;
#endif

#endif
