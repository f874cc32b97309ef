// What a crash leaves behind: a line about the request that its thread handled, and a new process in the place of the old one.
// Between the signal and the end only calls of signal-safety(7) are made, so it is C. To be used from one Swift file: the state is static.
#ifndef UBIQUITY_CFUSE_CRASH_H
#define UBIQUITY_CFUSE_CRASH_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The message of the kernel that a thread handles; `size` is 0 between two of them.
struct cfuse_request_note {
    const unsigned char *message;
    size_t size;
};

struct cfuse_crash_state {
    pthread_key_t key;
    time_t started;
    /// Null unless the program is to be started again.
    char *const *arguments;
    /// The last of them: how often in a row it crashed, in decimal, with room for four digits.
    char *count;
    int crashes;
    /// The control of the mount's connection (FuseControl); 0: none.
    int control;
    struct sigaction old[65];
    int handling;
};

/// Within a function, as Swift's importer leaves out static variables of headers.
static inline struct cfuse_crash_state *cfuse_crash_memory(void) {
    static struct cfuse_crash_state state;
    return &state;
}

static inline size_t cfuse_put_text(char *line, size_t at, size_t limit, const char *text) {
    while (*text != 0 && at < limit) line[at++] = *text++;
    return at;
}

static inline size_t cfuse_put_number(char *line, size_t at, size_t limit, uint64_t value) {
    char digits[21];
    size_t first = 20;
    digits[20] = 0;
    do { digits[--first] = (char)('0' + value % 10); } while ((value /= 10) != 0);
    return cfuse_put_text(line, at, limit, digits + first);
}

static inline size_t cfuse_put_field(char *line, size_t at, size_t limit, const char *name, uint64_t value) {
    return cfuse_put_number(line, cfuse_put_text(line, at, limit, name), limit, value);
}

/// The request as the kernel sent it: struct fuse_in_header, then up to 128 bytes of its arguments.
static inline size_t cfuse_put_request(char *line, size_t at, size_t limit, const struct cfuse_request_note *note) {
    struct kernel_fuse_in_header header;
    if (note == NULL || note->size < sizeof(header)) return cfuse_put_text(line, at, limit, " outside of a request of the kernel");
    memcpy(&header, note->message, sizeof(header));
    at = cfuse_put_field(line, at, limit, " in a request of the kernel: operation ", header.opcode);
    at = cfuse_put_field(line, at, limit, ", node ", header.nodeid);
    at = cfuse_put_field(line, at, limit, ", user ", header.uid);
    at = cfuse_put_field(line, at, limit, ", thread ", header.pid);
    at = cfuse_put_text(line, at, limit, ", arguments ");
    for (size_t index = sizeof(header); index < note->size && index < sizeof(header) + 128; index++) {
        const char byte[3] = {"0123456789abcdef"[note->message[index] >> 4], "0123456789abcdef"[note->message[index] & 15], 0};
        at = cfuse_put_text(line, at, limit, byte);
    }
    return at;
}

static inline void cfuse_write_crash(int number) {
    char line[640];
    size_t limit = sizeof(line) - 1;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    size_t at = cfuse_put_field(line, 0, limit, "\ncrashed by signal ", (uint64_t)number);
    at = cfuse_put_field(line, at, limit, " at ", (uint64_t)now.tv_sec);
    at = cfuse_put_request(line, at, limit, pthread_getspecific(cfuse_crash_memory()->key));
    line[at++] = '\n';
    // A log that cannot be written is no reason to stay.
    ssize_t ignored = write(STDERR_FILENO, line, at);
    (void)ignored;
}

/// Aborts the mount's connection. A thread that invalidates a name waits in the kernel for a lock; a program that holds the lock may wait for
/// an answer of this process. Neither exec nor an exit ends before that thread does.
static inline void cfuse_abort_connection(void) {
    if (cfuse_crash_memory()->control == 0) return;
    ssize_t ignored = write(cfuse_crash_memory()->control, "1", 1);
    (void)ignored;
}

/// Returns only where the program cannot be started.
static inline void cfuse_start_again(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    // Ten minutes without a crash end the series.
    int crashes = now.tv_sec - cfuse_crash_memory()->started > 600 ? 1 : cfuse_crash_memory()->crashes + 1;
    if (crashes > 9999) crashes = 9999;
    cfuse_crash_memory()->count[cfuse_put_number(cfuse_crash_memory()->count, 0, 4, (uint64_t)crashes)] = 0;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    // The mount's descriptors with the rest: what is served no more has to say so.
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
        for (int descriptor = 3; descriptor < 65536; descriptor++) close(descriptor);
    }
    execv("/proc/self/exe", cfuse_crash_memory()->arguments);
}

static inline void cfuse_crash_handler(int number, siginfo_t *information, void *context) {
    (void)context;
    int none = 0;
    int self = (int)syscall(SYS_gettid);
    if (__atomic_compare_exchange_n(&cfuse_crash_memory()->handling, &none, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        cfuse_write_crash(number);
        cfuse_abort_connection();
        if (cfuse_crash_memory()->arguments != NULL) cfuse_start_again();
    } else if (none != self) {
        // Another thread crashed first and ends this one too.
        for (int second = 0; second < 60; second++) sleep(1);
    }
    // As if nothing had stood between: the instruction is carried out once more, or the signal sent again.
    sigaction(number, &cfuse_crash_memory()->old[number], NULL);
    if (information->si_code <= 0) raise(number);
}

/// The signals of a crash, one after the other; 0 behind the last.
static inline int cfuse_crash_signal(int index) {
    const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, 0};
    return signals[index];
}

/// Lets crash signals through on this thread: while they are blocked the kernel ends the process without a word.
static inline void cfuse_unblock_crash_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int index = 0; cfuse_crash_signal(index) != 0; index++) sigaddset(&signals, cfuse_crash_signal(index));
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

/// From here on a crash writes a line to the error output. `key` gives each thread its `struct cfuse_request_note`, or null.
static inline void cfuse_crash_install(pthread_key_t key) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    cfuse_crash_memory()->key = key;
    cfuse_crash_memory()->started = now.tv_sec;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = cfuse_crash_handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int index = 0; cfuse_crash_signal(index) != 0; index++) {
        int number = cfuse_crash_signal(index);
        sigaction(number, &action, &cfuse_crash_memory()->old[number]);
    }
}

/// From here on a crash writes to this descriptor, which stays open.
static inline void cfuse_crash_control(int control) { cfuse_crash_memory()->control = control; }

/// From here on a crash starts this program again with `arguments`, which live on, in this process. The last is set to how often it has
/// crashed in a row, `crashes` before this start; it has room for five bytes.
static inline void cfuse_crash_restart(char *const *arguments, char *count, int crashes) {
    cfuse_crash_memory()->count = count;
    cfuse_crash_memory()->crashes = crashes;
    cfuse_crash_memory()->arguments = arguments;
}

#endif
