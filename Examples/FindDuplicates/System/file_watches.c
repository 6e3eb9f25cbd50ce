#include "file_watches.h"

#if defined(__linux__)
#include <stdio.h>
#include <sys/inotify.h>

int open_file_watches(void) {
    return inotify_init1(IN_CLOEXEC);
}

int file_watch(int watches, int descriptor) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return inotify_add_watch(watches, path, IN_DELETE_SELF);
}
#endif
