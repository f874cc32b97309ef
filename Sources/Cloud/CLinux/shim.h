// Calls of the C library that Swift's Glibc module leaves out because it is built without _GNU_SOURCE.
#pragma once
#include <pthread.h>

// syncfs(2): writes all of a file system to its disk. Reports write-back errors since Linux 5.8.
int syncfs(int fd);

// pthread_setname_np(3): a thread's name in `ps -T`, at most 15 bytes.
int pthread_setname_np(pthread_t thread, const char *name);
