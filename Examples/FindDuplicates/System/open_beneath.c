#define _GNU_SOURCE
#include "open_beneath.h"

#include <errno.h>
#include <fcntl.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#if defined(O_PATH)
const int open_path_only = O_PATH;
#else
const int open_path_only = 0;
#endif

int open_beneath(int descriptor, const char *path, int flags, int is_below) {
#if defined(O_NOFOLLOW_ANY)
    (void)is_below;
    return openat(descriptor, path, flags | O_NOFOLLOW_ANY);
#elif defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
    struct open_how how = {
        .flags = (unsigned int)flags,
        .resolve = RESOLVE_NO_SYMLINKS | (is_below ? RESOLVE_BENEATH : 0),
    };
    return (int)syscall(SYS_openat2, descriptor, path, &how, sizeof how);
#else
    (void)descriptor, (void)path, (void)flags, (void)is_below;
    errno = ENOSYS;
    return -1;
#endif
}
