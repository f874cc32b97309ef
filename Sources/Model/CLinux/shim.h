// Calls of Linux that Swift does not import: glibc declares them for _GNU_SOURCE only, or they are variadic or macros.
#ifndef UBIQUITY_CLINUX_H
#define UBIQUITY_CLINUX_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

// syncfs(2): writes all of a file system to its disk. Reports write-back errors since Linux 5.8.
int syncfs(int fd);

// posix_spawn_file_actions_addclosefrom_np(3): the new program has no descriptor from this one on. <spawn.h> would make its types this module's.
int linux_spawn_closing_from(void *actions, int first) __asm__("posix_spawn_file_actions_addclosefrom_np");

// mallopt(3) of glibc: the size from which a block is mapped on its own, and how much free memory an arena keeps, in bytes. 1, or 0 for an error.
int linux_set_allocator(int parameter, int value) __asm__("mallopt");
static const int LINUX_MAPPED_FROM = -3; /* M_MMAP_THRESHOLD */
static const int LINUX_KEPT = -1;        /* M_TRIM_THRESHOLD */

// pidfd_open(2): a close-on-exec descriptor that becomes readable when the last thread of the process has ended; -1 and errno.
static inline int linux_process_handle(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// fallocate(2); mode bits as in <linux/falloc.h>
static inline int linux_fallocate(int fd, int mode, int64_t offset, int64_t length) {
    return (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

// copy_file_range(2)
static inline ssize_t linux_copy_file_range(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length) {
    return (ssize_t)syscall(SYS_copy_file_range, in, in_offset, out, out_offset, length, 0);
}

// ioctl_ficlone(2): 0 where the file system shares the blocks of both files, else -1.
static inline int linux_ficlone(int destination, int source) { return ioctl(destination, 0x40049409, source); }

// openat2(2) with O_PATH and RESOLVE_NO_SYMLINKS: ELOOP if anything above the last component is a symbolic link, or that too without O_NOFOLLOW.
static inline int linux_open_without_links(const char *path, int flags) {
    const uint64_t how[3] = {(uint64_t)flags | 010000000 /* O_PATH */, 0, 4 /* RESOLVE_NO_SYMLINKS */};
    return (int)syscall(SYS_openat2, -100 /* AT_FDCWD */, path, how, sizeof(how));
}

// openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS: EXDEV where the path leads out of the folder.
static inline int linux_open_beneath(int folder, const char *path, int flags, unsigned mode) {
    const uint64_t how[3] = {(uint64_t)flags, mode, 8 | 2};
    return (int)syscall(SYS_openat2, folder, path, how, sizeof(how));
}

// openat(2) with O_TMPFILE: a new file of a folder's file system, without a name. The flags have to contain O_DIRECTORY, as O_TMPFILE does.
static inline int linux_open_unnamed(int folder, const char *path, int flags, unsigned mode) {
    return (int)syscall(SYS_openat, folder, path, flags | 020000000 /* __O_TMPFILE */, mode);
}

// memfd_create(2) with MFD_CLOEXEC: a file in memory without a name.
static inline int linux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

// renameat2(2) of paths; flags as in <linux/fs.h>
static inline int linux_rename(const char *from, const char *to, unsigned flags) {
    return (int)syscall(SYS_renameat2, -100 /* AT_FDCWD */, from, -100, to, flags);
}

// fsopen(2), fsconfig(2) and fsmount(2): a file system of this type, mounted at no path. A close-on-exec descriptor of its root, or -1 and errno.
static inline int linux_mount_nowhere(const char *type) {
    int context = (int)syscall(SYS_fsopen, type, 1u /* FSOPEN_CLOEXEC */);
    if (context < 0) return -1;
    int mount = -1;
    if (syscall(SYS_fsconfig, context, 6u /* FSCONFIG_CMD_CREATE */, (void *)0, (void *)0, 0) == 0)
        mount = (int)syscall(SYS_fsmount, context, 1u /* FSMOUNT_CLOEXEC */, 0u);
    close(context);
    return mount;
}

// ioprio_get(2) of one thread: 1 where its I/O class is idle, 0 where not, -1 where the thread cannot be examined. <linux/ioprio.h>
static inline int linux_has_idle_io(int thread) {
    long value = syscall(SYS_ioprio_get, 1 /* IOPRIO_WHO_PROCESS */, thread);
    return value < 0 ? -1 : (value >> 13) == 3 /* IOPRIO_CLASS_IDLE */;
}

#endif
