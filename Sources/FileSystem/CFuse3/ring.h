// FUSE over io_uring (Documentation/filesystems/fuse/fuse-io-uring.rst) by system calls: the few of them that are needed do not justify
// liburing, and its functions are inline in a header that Swift cannot import.
#ifndef UBIQUITY_CFUSE_RING_H
#define UBIQUITY_CFUSE_RING_H

#include <errno.h>
#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// From include/uapi/linux/fuse.h, protocol 7.42, with names of our own as above.

/// The memory that an entry shares with the kernel, before the payload.
struct kernel_fuse_ring_header {
    /// struct fuse_in_header of the request, then struct fuse_out_header of the reply.
    unsigned char in_out[128];
    /// The first argument of the request.
    unsigned char operation[128];
    uint64_t flags;
    /// Names the request when its reply is committed.
    uint64_t commit_id;
    uint32_t payload_size;
    uint32_t padding;
    uint64_t reserved;
};

/// What a command carries in its submission queue entry.
struct kernel_fuse_ring_command {
    uint64_t flags;
    uint64_t commit_id;
    uint16_t queue;
    uint8_t padding[6];
};

enum {
    KERNEL_FUSE_RING_REGISTER = 1,
    KERNEL_FUSE_RING_COMMIT_AND_FETCH = 2,
};

/// An io_uring. All but opening and closing it belongs to one thread.
struct cfuse_ring {
    int descriptor;
    /// Commands that are prepared and not submitted.
    unsigned pending;
    unsigned submission_mask;
    unsigned completion_mask;
    unsigned *submission_head;
    unsigned *submission_tail;
    unsigned *completion_head;
    unsigned *completion_tail;
    unsigned char *submissions;
    struct io_uring_cqe *completions;
    unsigned char *queues;
    size_t queues_size;
    size_t submissions_size;
};

static inline void cfuse_ring_close(struct cfuse_ring *ring) {
    if (ring->submissions != NULL) munmap(ring->submissions, ring->submissions_size);
    if (ring->queues != NULL) munmap(ring->queues, ring->queues_size);
    if (ring->descriptor >= 0) close(ring->descriptor);
    memset(ring, 0, sizeof(*ring));
    ring->descriptor = -1;
}

/// Makes a ring for commands to `device`, with room for `count` (a power of two) between two system calls. Any thread may make it; it is
/// disabled until ``cfuse_ring_enable``. 0, or an error number.
static inline int cfuse_ring_open(struct cfuse_ring *ring, unsigned count, int device) {
    memset(ring, 0, sizeof(*ring));
    struct io_uring_params parameters;
    memset(&parameters, 0, sizeof(parameters));
    // The kernel's part of a command then runs when the thread asks for completions, and not in the middle of a handler.
    parameters.flags = IORING_SETUP_SQE128 | IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                       IORING_SETUP_R_DISABLED;
    parameters.cq_entries = 4 * count;
    ring->descriptor = (int)syscall(SYS_io_uring_setup, count, &parameters);
    if (ring->descriptor < 0) return errno;
    // Both queues are one mapping since Linux 5.4.
    size_t submission_end = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    size_t completion_end = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    ring->queues_size = submission_end > completion_end ? submission_end : completion_end;
    ring->submissions_size = parameters.sq_entries * 2 * sizeof(struct io_uring_sqe);
    int access = PROT_READ | PROT_WRITE;
    void *queues = mmap(NULL, ring->queues_size, access, MAP_SHARED, ring->descriptor, IORING_OFF_SQ_RING);
    if (queues != MAP_FAILED) ring->queues = (unsigned char *)queues;
    void *submissions = mmap(NULL, ring->submissions_size, access, MAP_SHARED, ring->descriptor, IORING_OFF_SQES);
    if (submissions != MAP_FAILED) ring->submissions = (unsigned char *)submissions;
    if (ring->queues == NULL || ring->submissions == NULL ||
        syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_FILES, &device, 1) < 0) {
        int code = errno;
        cfuse_ring_close(ring);
        return code;
    }
    ring->submission_head = (unsigned *)(ring->queues + parameters.sq_off.head);
    ring->submission_tail = (unsigned *)(ring->queues + parameters.sq_off.tail);
    ring->completion_head = (unsigned *)(ring->queues + parameters.cq_off.head);
    ring->completion_tail = (unsigned *)(ring->queues + parameters.cq_off.tail);
    ring->submission_mask = parameters.sq_entries - 1;
    ring->completion_mask = parameters.cq_entries - 1;
    ring->completions = (struct io_uring_cqe *)(ring->queues + parameters.cq_off.cqes);
    unsigned *order = (unsigned *)(ring->queues + parameters.sq_off.array);
    for (unsigned index = 0; index < parameters.sq_entries; index++) order[index] = index;
    return 0;
}

/// Gives the ring to the calling thread. 0, or an error number.
static inline int cfuse_ring_enable(const struct cfuse_ring *ring) {
    return syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_ENABLE_RINGS, NULL, 0) < 0 ? errno : 0;
}

/// An empty place for a command of 128 bytes; null while all are in use.
static inline struct io_uring_sqe *cfuse_ring_place(struct cfuse_ring *ring) {
    unsigned tail = *ring->submission_tail;
    if (tail - __atomic_load_n(ring->submission_head, __ATOMIC_ACQUIRE) > ring->submission_mask) return NULL;
    unsigned char *place = ring->submissions + (tail & ring->submission_mask) * 2 * sizeof(struct io_uring_sqe);
    memset(place, 0, 2 * sizeof(struct io_uring_sqe));
    return (struct io_uring_sqe *)place;
}

static inline void cfuse_ring_add(struct cfuse_ring *ring) {
    __atomic_store_n(ring->submission_tail, *ring->submission_tail + 1, __ATOMIC_RELEASE);
    ring->pending += 1;
}

static inline int cfuse_ring_command(struct cfuse_ring *ring, uint32_t operation, uint16_t queue, uint64_t commit_id,
                                     const struct iovec *memory, uint64_t token) {
    struct io_uring_sqe *place = cfuse_ring_place(ring);
    if (place == NULL) return 0;
    place->opcode = IORING_OP_URING_CMD;
    place->flags = IOSQE_FIXED_FILE;
    place->cmd_op = operation;
    place->user_data = token;
    if (memory != NULL) {
        place->addr = (uint64_t)(uintptr_t)memory;
        place->len = 2;
    }
    struct kernel_fuse_ring_command command = {.flags = 0, .commit_id = commit_id, .queue = queue, .padding = {0}};
    memcpy((unsigned char *)place + offsetof(struct io_uring_sqe, cmd), &command, sizeof(command));
    cfuse_ring_add(ring);
    return 1;
}

/// Prepares the registration of an entry: `memory` is its header and its payload. 0 while there is no place.
static inline int cfuse_ring_register(struct cfuse_ring *ring, uint16_t queue, const struct iovec *memory, uint64_t token) {
    return cfuse_ring_command(ring, KERNEL_FUSE_RING_REGISTER, queue, 0, memory, token);
}

/// Prepares the commit of a reply, which also makes the entry free for the next request. 0 while there is no place.
static inline int cfuse_ring_commit(struct cfuse_ring *ring, uint16_t queue, uint64_t commit_id, uint64_t token) {
    return cfuse_ring_command(ring, KERNEL_FUSE_RING_COMMIT_AND_FETCH, queue, commit_id, NULL, token);
}

/// An eventfd(2), which wakes the thread of a ring: -1 and errno.
static inline int cfuse_make_bell(void) { return eventfd(0, EFD_CLOEXEC); }

/// Prepares a read of `bell`, an eventfd(2), into `count`. 0 while there is no place.
static inline int cfuse_ring_watch(struct cfuse_ring *ring, int bell, uint64_t *count, uint64_t token) {
    struct io_uring_sqe *place = cfuse_ring_place(ring);
    if (place == NULL) return 0;
    place->opcode = IORING_OP_READ;
    place->fd = bell;
    place->addr = (uint64_t)(uintptr_t)count;
    place->len = sizeof(*count);
    place->user_data = token;
    cfuse_ring_add(ring);
    return 1;
}

/// Submits what is prepared, and waits for `minimum` completions. 0, or an error number.
static inline int cfuse_ring_enter(struct cfuse_ring *ring, unsigned minimum) {
    long count = syscall(SYS_io_uring_enter, ring->descriptor, ring->pending, minimum, IORING_ENTER_GETEVENTS, NULL, 0);
    if (count < 0) return errno;
    ring->pending -= (unsigned)count;
    return 0;
}

/// Takes a completion: 1, or 0 if there is none.
static inline int cfuse_ring_next(struct cfuse_ring *ring, uint64_t *token, int32_t *result) {
    unsigned head = *ring->completion_head;
    if (head == __atomic_load_n(ring->completion_tail, __ATOMIC_ACQUIRE)) return 0;
    *token = ring->completions[head & ring->completion_mask].user_data;
    *result = ring->completions[head & ring->completion_mask].res;
    __atomic_store_n(ring->completion_head, head + 1, __ATOMIC_RELEASE);
    return 1;
}

/// Whether ``cfuse_ring_next`` would find a completion.
static inline int cfuse_ring_has_completion(const struct cfuse_ring *ring) {
    return *ring->completion_head != __atomic_load_n(ring->completion_tail, __ATOMIC_ACQUIRE);
}

/// Whether this process may register backing files: it has CAP_SYS_ADMIN (capabilities(7), bit 21).
static inline int cfuse_is_administrator(void) {
    struct {
        uint32_t version;
        int process;
    } header = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } sets[2] = {{0, 0, 0}, {0, 0, 0}};
    return syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective >> 21 & 1) != 0;
}

#endif
