#ifndef UBIQUITY_CTESTHOME_H
#define UBIQUITY_CTESTHOME_H

// The home of this test process, created before main, so that no test sees the settings, the state or the mounts of its user.
const char *test_home(void);

#endif
