// Gives each test process its own home before anything else runs, because tests read these variables at any time and from any thread.
#define _GNU_SOURCE
#include "CTestHome.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[PATH_MAX];
static pid_t maker;

const char *test_home(void) { return home; }

static int take(const char *path, const struct stat *status, int kind, struct FTW *position) { return remove(path); }

static void leave(void) {
    if (getpid() == maker) nftw(home, take, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void point(const char *variable, const char *folder) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", home, folder);
    mkdir(path, 0700);
    setenv(variable, path, 1);
}

__attribute__((constructor)) static void enter(void) {
    const char *parent = getenv("TMPDIR");
    char template[PATH_MAX];
    snprintf(template, sizeof template, "%s/ubq-home-XXXXXX", parent && parent[0] == '/' ? parent : "/tmp");
    if (!mkdtemp(template) || !realpath(template, home)) {
        fprintf(stderr, "no home for the tests in %s\n", template);
        _exit(1);
    }
    maker = getpid();
    atexit(leave);
    setenv("HOME", home, 1);
    setenv("UBIQUITY_SCOPE", home, 1);
    point("XDG_RUNTIME_DIR", "run");
    point("XDG_DATA_HOME", "data");
    point("XDG_STATE_HOME", "state");
    point("XDG_CONFIG_HOME", "config");
    point("XDG_CACHE_HOME", "cache");
}
