// libc first: Swift's own Glibc module sees these without _FILE_OFFSET_BITS, and must see the same `struct flock`.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 14)
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <fuse3/fuse_lowlevel.h>

// What the kernel speaks but libfuse 3.14 does not know, from include/uapi/linux/fuse.h, protocol 7.40. Names of our own:
// newer headers declare theirs, and both may meet in one compilation.

/// Before each message from the kernel.
struct kernel_fuse_in_header {
    uint32_t len;
    uint32_t opcode;
    uint64_t unique;
    uint64_t nodeid;
    uint32_t uid;
    uint32_t gid;
    uint32_t pid;
    uint16_t total_extlen;
    uint16_t padding;
};

/// Before each message to the kernel; `unique` is 0 in a notification.
struct kernel_fuse_out_header {
    uint32_t len;
    int32_t error;
    uint64_t unique;
};

/// The body of FUSE_INIT. `flags2` counts only if `flags` has KERNEL_FUSE_INIT_EXT.
struct kernel_fuse_init_in {
    uint32_t major;
    uint32_t minor;
    uint32_t max_readahead;
    uint32_t flags;
    uint32_t flags2;
    uint32_t unused[11];
};

/// The body of the answer to FUSE_INIT.
struct kernel_fuse_init_out {
    uint32_t major;
    uint32_t minor;
    uint32_t max_readahead;
    uint32_t flags;
    uint16_t max_background;
    uint16_t congestion_threshold;
    uint32_t max_write;
    uint32_t time_gran;
    uint16_t max_pages;
    uint16_t map_alignment;
    uint32_t flags2;
    uint32_t max_stack_depth;
    uint32_t unused[6];
};

/// The body of FUSE_WRITE before the bytes.
struct kernel_fuse_write_in {
    uint64_t fh;
    uint64_t offset;
    uint32_t size;
    uint32_t write_flags;
    uint64_t lock_owner;
    uint32_t flags;
    uint32_t padding;
};

/// The last 16 bytes of the answer to FUSE_OPEN, FUSE_OPENDIR and FUSE_CREATE.
struct kernel_fuse_open_out {
    uint64_t fh;
    uint32_t open_flags;
    int32_t backing_id;
};

/// What FUSE_DEV_IOC_BACKING_OPEN takes.
struct kernel_fuse_backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};

enum {
    KERNEL_FUSE_OP_SETATTR = 4,
    KERNEL_FUSE_OP_OPEN = 14,
    KERNEL_FUSE_OP_WRITE = 16,
    KERNEL_FUSE_OP_INIT = 26,
    KERNEL_FUSE_OP_INTERRUPT = 36,

    // FUSE_INIT flags, and (from bit 32 on) flags2.
    KERNEL_FUSE_PARALLEL_DIROPS = 1 << 18,
    KERNEL_FUSE_NO_OPENDIR_SUPPORT = 1 << 24,
    KERNEL_FUSE_HANDLE_KILLPRIV_V2 = 1 << 28,
    KERNEL_FUSE_INIT_EXT = 1 << 30,
    KERNEL_FUSE2_DIRECT_IO_ALLOW_MMAP = 1 << 4,
    KERNEL_FUSE2_PASSTHROUGH = 1 << 5,
    KERNEL_FUSE2_OVER_IO_URING = 1 << 9,

    // Requests of a user who may not keep set-id bits, of setattr, open with O_TRUNC and write.
    KERNEL_FATTR_KILL_SUIDGID = 1 << 11,
    KERNEL_FUSE_OPEN_KILL_SUIDGID = 1 << 0,
    KERNEL_FUSE_WRITE_KILL_SUIDGID = 1 << 2,

    KERNEL_FOPEN_DIRECT_IO = 1 << 0,
    KERNEL_FOPEN_KEEP_CACHE = 1 << 1,
    KERNEL_FOPEN_NONSEEKABLE = 1 << 2,
    KERNEL_FOPEN_CACHE_DIR = 1 << 3,
    KERNEL_FOPEN_NOFLUSH = 1 << 5,
    KERNEL_FOPEN_PARALLEL_DIRECT_WRITES = 1 << 6,
    KERNEL_FOPEN_PASSTHROUGH = 1 << 7,
};

#include "crash.h"
#include "ring.h"
#include "watchdog.h"

// ioctl is variadic and _IOR/_IOW are function-like macros: neither comes through to Swift.

/// FUSE_DEV_IOC_CLONE: makes `fd`, a fresh /dev/fuse, one more channel of the connection of `session_fd`. -1 and errno.
static inline int kernel_fuse_clone(int fd, int session_fd) {
    uint32_t source = (uint32_t)session_fd;
    return ioctl(fd, _IOR(229, 0, uint32_t), &source);
}

/// FUSE_DEV_IOC_BACKING_OPEN: an id above 0, or -1 and errno.
static inline int kernel_fuse_backing_open(int session_fd, int file) {
    struct kernel_fuse_backing_map map = {.fd = file, .flags = 0, .padding = 0};
    return ioctl(session_fd, _IOW(229, 1, struct kernel_fuse_backing_map), &map);
}

/// FUSE_DEV_IOC_BACKING_CLOSE: 0, or -1 and errno.
static inline int kernel_fuse_backing_close(int session_fd, int32_t backing_id) {
    uint32_t id = (uint32_t)backing_id;
    return ioctl(session_fd, _IOW(229, 2, uint32_t), &id);
}

/// A function up to libfuse 3.16, a macro after it: one name for Swift.
static inline struct fuse_session *cfuse_session_new(struct fuse_args *args, const struct fuse_lowlevel_ops *operations,
                                                     void *userdata) {
    return fuse_session_new(args, operations, sizeof(*operations), userdata);
}

/// The signal that wakes a reader out of its blocking read; SIGRTMIN is a macro over a function.
static inline int cfuse_wake_signal(void) { return SIGRTMIN + 7; }

/// Receives one file descriptor over a unix socket (SCM_RIGHTS, unix(7)), close-on-exec: -1 and errno, ECONNABORTED
/// when the other end closed without sending one. The CMSG macros do not come through to Swift.
static inline int cfuse_receive_descriptor(int socket) {
    char byte;
    struct iovec vector = {.iov_base = &byte, .iov_len = 1};
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space)};
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -1;
    struct cmsghdr *header = count == 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
        errno = ECONNABORTED;
        return -1;
    }
    int descriptor;
    __builtin_memcpy(&descriptor, CMSG_DATA(header), sizeof(descriptor));
    return descriptor;
}

/// One empty buffer: FUSE_BUFVEC_INIT is an initialiser macro.
static inline struct fuse_bufvec cfuse_buffers(void) {
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(0);
    return vector;
}

/// O_DIRECT, which differs between architectures and hides behind _GNU_SOURCE.
static inline int cfuse_open_direct(void) {
#ifdef O_DIRECT
    return O_DIRECT;
#else
    return __O_DIRECT;
#endif
}

/// O_NOATIME, likewise.
static inline int cfuse_open_noatime(void) {
#ifdef O_NOATIME
    return O_NOATIME;
#else
    return __O_NOATIME;
#endif
}

/// splice(2), which hides behind _GNU_SOURCE.
static inline ssize_t cfuse_splice(int source, off_t *source_offset, int target, off_t *target_offset, size_t size,
                                   unsigned flags) {
    return syscall(SYS_splice, source, source_offset, target, target_offset, size, flags);
}

/// The flags of mount(2) for a mount of ours; an enum in glibc that Swift does not see as numbers.
static inline unsigned long cfuse_mount_flags(int read_only) {
    return MS_NOSUID | MS_NODEV | (read_only ? MS_RDONLY : 0);
}

/// The flags of umount2(2): never through a link that someone put in the way.
static inline int cfuse_unmount_flags(int lazily) { return UMOUNT_NOFOLLOW | (lazily ? MNT_DETACH : 0); }

/// statx(2) that asks the file system even if the kernel holds attributes (AT_STATX_FORCE_SYNC). 0, or -1 and errno.
static inline int cfuse_ask_attributes(const char *path) {
    char status[256];
    return (int)syscall(SYS_statx, AT_FDCWD, path, 0x2000, 0x7ff, status);
}

/// pipe2(2) with O_CLOEXEC, which hides behind _GNU_SOURCE. 0, or -1 and errno.
static inline int cfuse_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/// dup3(2) with O_CLOEXEC: `number` then stands for what `file` does. -1 and errno.
static inline int cfuse_replace(int file, int number) { return (int)syscall(SYS_dup3, file, number, O_CLOEXEC); }

