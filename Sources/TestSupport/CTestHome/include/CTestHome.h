#ifndef UBIQUITY_CTESTHOME_H
#define UBIQUITY_CTESTHOME_H

// The home of this process of tests, made before main: no test sees the settings, the state or the mounts of whoever runs it.
const char *test_home(void);

#endif
