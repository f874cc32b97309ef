// libc first: Swift's own Glibc module sees these without _FILE_OFFSET_BITS, and must see the same `struct flock`.
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>

#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 14)
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <fuse3/fuse_lowlevel.h>
