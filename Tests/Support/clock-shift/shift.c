// Preloaded into a daemon: its clock of the day differs from the machine's by the seconds in the file that CLOCK_SHIFT names, eight
// bytes in the order of this machine. The clocks that only count, and the stamps of files, stay as they are.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none = 0;
static const volatile int64_t *shift = &none;

__attribute__((constructor)) static void find_shift(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) shift = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *shift;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, time, zone);
    if (result == 0) time->tv_sec += *shift;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
