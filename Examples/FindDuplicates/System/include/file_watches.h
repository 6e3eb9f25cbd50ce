#ifndef FILE_WATCHES_H
#define FILE_WATCHES_H

#if defined(__linux__)
/// Opens an empty set of watches.
///
/// Returns a descriptor, or -1 with `errno`.
int open_file_watches(void);

/// Returns the number of a file's watch in a set, or -1 with `errno`.
///
/// A file has one watch in a set, even if it has several names.
int file_watch(int watches, int descriptor);
#endif

#endif
