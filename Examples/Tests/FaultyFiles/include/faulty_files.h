#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

// The library is only preloaded, so that it has no functions to call.

#endif
