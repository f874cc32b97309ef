// What a watchdog waits for. prctl is variadic, and signalfd(2) is not in Swift's module.
#ifndef UBIQUITY_CFUSE_WATCHDOG_H
#define UBIQUITY_CFUSE_WATCHDOG_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/// Waits until the process `served` ends or begins to. Other signals than SIGKILL and SIGSTOP are ignored from now on.
///
/// A process that was killed keeps its files open, and its id, while one of its threads waits in the kernel; neither the end of `life`, a pipe
/// from it, nor a pidfd shows that it was. But the kernel sends a signal when the thread ends that started this process.
static inline void cfuse_await_end(pid_t served, int life) {
    int number = SIGRTMIN + 8;
    sigset_t signals;
    sigfillset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    sigemptyset(&signals);
    sigaddset(&signals, number);
    struct pollfd files[2] = {{.fd = life, .events = POLLIN}, {.fd = signalfd(-1, &signals, SFD_CLOEXEC), .events = POLLIN}};
    prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != served) return;
    while (1) {
        if (poll(files, 2, -1) < 0) continue;
        if (files[0].revents != 0) return;
        struct signalfd_siginfo information;
        if (read(files[1].fd, &information, sizeof(information)) != sizeof(information)) continue;
        // Anybody may send the signal.
        if ((pid_t)information.ssi_pid == served) return;
    }
}

#endif
