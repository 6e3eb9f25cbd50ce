#include "RuntimeHooks.h"

#include <signal.h>
#include <time.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*Enqueue)(void *job);
typedef SWIFT_CALL void (*EnqueueAfter)(unsigned long long delay, void *job);
typedef SWIFT_CALL void (*EnqueueAt)(long long seconds, long long nanoseconds, long long toleranceSeconds,
                                     long long toleranceNanoseconds, int clock, void *job);

// Variables of the Swift runtime.
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original);
extern SWIFT_CALL void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long delay, void *job,
                                                                 EnqueueAfter original);
extern SWIFT_CALL void (*swift_task_enqueueGlobalWithDeadline_hook)(long long seconds, long long nanoseconds,
                                                                    long long toleranceSeconds,
                                                                    long long toleranceNanoseconds, int clock,
                                                                    void *job, EnqueueAt original);
extern SWIFT_CALL void (*swift_task_enqueueMainExecutor_hook)(void *job, Enqueue original);
extern SWIFT_CALL void swift_job_run(void *job, void *identity, void *implementation);

static JobHandler handler;

static SWIFT_CALL void enqueue(void *job, Enqueue original) {
    if (!handler(job, 0, false)) original(job);
}

static SWIFT_CALL void enqueueOnMain(void *job, Enqueue original) {
    if (!handler(job, 0, true)) original(job);
}

static SWIFT_CALL void enqueueAfter(unsigned long long delay, void *job, EnqueueAfter original) {
    if (!handler(job, (int64_t)delay, false)) original(delay, job);
}

static SWIFT_CALL void enqueueAt(long long seconds, long long nanoseconds, long long toleranceSeconds,
                                 long long toleranceNanoseconds, int clock, void *job, EnqueueAt original) {
    struct timespec now;
    clock_gettime(clock == 2 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME, &now);
    int64_t delay = (seconds - now.tv_sec) * 1000000000 + nanoseconds - now.tv_nsec;
    // In whole milliseconds, so that the order of deadlines is repeatable.
    delay = delay < 0 ? 0 : (delay + 999999) / 1000000 * 1000000;
    if (!handler(job, delay, false))
        original(seconds, nanoseconds, toleranceSeconds, toleranceNanoseconds, clock, job);
}

void setJobHandler(JobHandler newHandler) {
    handler = newHandler;
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueueAfter;
    swift_task_enqueueGlobalWithDeadline_hook = enqueueAt;
    swift_task_enqueueMainExecutor_hook = enqueueOnMain;
}

void runJob(void *job) { swift_job_run(job, 0, 0); }

void setCrashHandler(void (*crashHandler)(int)) {
    int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT};
    struct sigaction action = {0};
    action.sa_handler = crashHandler;
    action.sa_flags = SA_RESETHAND;
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, 0);
}
