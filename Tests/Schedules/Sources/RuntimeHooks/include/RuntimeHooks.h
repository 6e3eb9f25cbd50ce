#ifndef RUNTIME_HOOKS_H
#define RUNTIME_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/// Takes a job of the Swift runtime, or returns false to leave it to the runtime.
typedef bool (*JobHandler)(void *job, int64_t delayNanoseconds, bool isForMainActor);

/// Passes each job that the runtime enqueues to a handler.
void setJobHandler(JobHandler handler);

/// Runs a job on the calling thread.
void runJob(void *job);

/// Calls a function with the options and choices of a schedule if the process crashes.
void setCrashHandler(void (*handler)(int signal));

#endif
