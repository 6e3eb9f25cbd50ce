// Replaces system calls of a process that preloads this library, as an unreliable file system would answer them.
//
// FAULTY_LISTING=N     The listing of a folder fails with EIO after N entries.
// FAULTY_NUMBERS=same  All files and folders have the same number and the same times.
// FAULTY_NUMBERS=new   Each call returns another number.

#if defined(__linux__)
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct dirent *readdir(DIR *folder) {
    static atomic_int entries;
    struct dirent *(*next)(DIR *) = dlsym(RTLD_NEXT, "readdir");
    struct dirent *entry = next(folder);
    const char *limit = getenv("FAULTY_LISTING");
    if (limit && entry && entry->d_name[0] != '.' && ++entries > atoi(limit)) {
        errno = EIO;
        return NULL;
    }
    return entry;
}

static int changed(int result, struct stat *status) {
    static atomic_ulong numbers;
    const char *kind = getenv("FAULTY_NUMBERS");
    if (result != 0 || !kind) return result;
    if (strcmp(kind, "new") == 0) {
        status->st_ino = ++numbers;
    } else {
        status->st_ino = 1;
        status->st_ctim = status->st_mtim = (struct timespec){0};
    }
    return result;
}

int fstat(int file, struct stat *status) {
    int (*next)(int, struct stat *) = dlsym(RTLD_NEXT, "fstat");
    return changed(next(file, status), status);
}

int stat(const char *path, struct stat *status) {
    int (*next)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
    return changed(next(path, status), status);
}

int fstatat(int folder, const char *path, struct stat *status, int flags) {
    int (*next)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
    return changed(next(folder, path, status, flags), status);
}
#endif
