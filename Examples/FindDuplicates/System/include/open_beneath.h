#ifndef OPEN_BENEATH_H
#define OPEN_BENEATH_H

/// A flag for `open` if the descriptor only serves as the beginning of other paths.
///
/// With it, no permission to read is needed. It is 0 if the system has no such flag.
extern const int open_path_only;

/// Opens `path` below the folder `descriptor` and refuses every symbolic link in it.
///
/// The C library of Linux has no function for `openat2`. Swift cannot call `syscall`, because it has
/// a variable number of arguments.
///
/// Returns a descriptor, or -1 with `errno`: `ENOSYS` if the kernel has no such call.
int open_beneath(int descriptor, const char *path, int flags, int is_below);

#endif
