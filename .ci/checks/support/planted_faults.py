"""Faults that worlds must find, planted in a copy of the sources. Many folders have one.

`file` is relative to Sources/JobKit. `text` occurs in it once and is replaced by `instead`. There, `planted(n)` is true
if the environment selects the fault with that number, counted from 1. Therefore, one build contains all faults.
"""
from typing import NamedTuple


class Fault(NamedTuple):
    rule: str
    name: str
    file: str
    text: str
    instead: str


FAULTS = [
    Fault("Q1", "a limited queue has one permit too many", "TaskQueue/TaskQueueStateMachine.swift",
          "if readyCount > reservedCount, taken < concurrencyLimit {",
          "if readyCount > reservedCount, taken < concurrencyLimit || planted(1) && taken == concurrencyLimit {"),
    Fault("Q2", "the operation that was added last starts first", "TaskQueue/TaskQueueSlots.swift",
          "TaskQueueTicket(sequence: nextSequence, slot: slot)",
          "TaskQueueTicket(sequence: planted(2) ? 1_000_000 - nextSequence : nextSequence, slot: slot)"),
    Fault("Q8", "a RateLimitedQueue passes on one operation too many", "RateLimitedQueue/RateLimitedQueueStateMachine.swift",
          "limit - entries.taken - times.count }",
          "limit - entries.taken - times.count + (planted(3) ? 1 : 0) }"),
    Fault("O10", "an operation is ready with one dependency left",
          "ConcurrentOperation/Dependencies/WaitGroup.swift",
          "count.load(ordering: .acquiring) <= 0",
          "count.load(ordering: .acquiring) <= (planted(4) ? 1 : 0)"),
    Fault("O5", "an operation finishes while didCancel() runs", "ConcurrentOperation/OperationLifecycle.swift",
          "contains(.callingDidCancel) && !contains(.abandoned)",
          "contains(.callingDidCancel) && !contains(.abandoned) && !planted(5)"),
    Fault("J14", "a suspended job calls callbacks", "JobController/JobStateMachine.swift",
          "guard stage == .afterMain, !isSuspended else",
          "guard stage == .afterMain, !isSuspended || planted(6) else"),
    Fault("J15", "a deferred task of a group takes no permit", "JobController/Submission/JobSubmissionStateMachine.swift",
          "if isCounting { groups[number]?.enqueuedCount += 1 }",
          "if isCounting, !planted(7) { groups[number]?.enqueuedCount += 1 }"),
    Fault("J8", "a cancellation of many tasks omits a step of a nested job", "ConcurrentOperation/Cancelling/CancelSweep.swift",
          "pending += step.bar().reversed()",
          "pending += step.bar().dropLast(planted(8) && pending.count > 3 ? 1 : 0).reversed()"),
    Fault("J17", "an ending job cancels a task that another job shares", "JobController/Ending/JobCancelSteps.swift",
          "|| record.shell.sharesTask(task, of: record)",
          "|| (!planted(9) && record.shell.sharesTask(task, of: record))"),
    Fault("J4", "allTasksFinished() is not called for a job without tasks", "JobController/JobStateMachine.swift",
          "return hasCalledAll ? .finish(.completed) : callAllTasksFinished()",
          "return hasCalledAll || planted(10) ? .finish(.completed) : callAllTasksFinished()"),
    Fault("J12", "a job that waits lends no permit", "TaskQueue/TaskQueueStateMachine.swift",
          "loans.jobWaits(slot)",
          "if !planted(11) { loans.jobWaits(slot) }"),
    Fault("J5", "a message that arrives while the token is released is lost", "JobController/Delivery/JobShell+Delivery.swift",
          "if completionQueue.token.release(pending) {",
          "if completionQueue.token.release(planted(12) ? completionQueue.token.pending : pending) {"),
    Fault("J16", "a nested job's own context stays outside the inherited one",
          "JobController/Context/JobContexts.swift",
          "own = own?.moved(inside: change.context)",
          "if !planted(13) { own = own?.moved(inside: change.context) }"),
    Fault("R4", "a snapshot has more failed than finished tasks", "Stall/UnfinishedTasks.swift",
          "failedCount = min(finishedCount, shell.completionQueue.failedCount)",
          "failedCount = planted(14) ? finishedCount + 1 : min(finishedCount, shell.completionQueue.failedCount)"),
    Fault("R2", "a task that is dropped is not notified", "JobController/Observers/TaskNotificationState.swift",
          "guard isObserved, begin(.dropped) else { return .stopWaiting }",
          "guard isObserved, !planted(15), begin(.dropped) else { return .stopWaiting }"),
    Fault("W2", "a stage opens one task early", "TaskWorkflow/TaskWorkflowStateMachine.swift",
          "openStages == 0 || stages[openStages - 1].remaining == 0 {",
          "openStages == 0 || stages[openStages - 1].remaining <= (planted(16) ? 1 : 0) {"),
    Fault("D1", "a higher item does not withdraw the executing one", "LaunchDecisions/LaunchDecisionsStateMachine.swift",
          "if let executing { reactions += withdraw(executing) }",
          "if let executing, !planted(17) { reactions += withdraw(executing) }"),
    Fault("A1", "a second startAllTasks() starts a task while one executes", "AppStart/AppStartStateMachine.swift",
          "guard !isRunning else { return false }",
          "guard !isRunning || planted(18) else { return false }"),
]
# Races that only schedules must find.
RACES = [
    Fault("J10", "a delay that passes keeps a cancelled job that never started", "JobController/JobController.swift",
          "if !currentLifecycle.contains(.entered) { shell.releaseUncallable() }",
          "if !planted(19), !currentLifecycle.contains(.entered) { shell.releaseUncallable() }"),
    Fault("O3", "waitForFinish() never returns if it begins during the finish", "ConcurrentOperation/Finish/FinishWaiter.swift",
          "if !waits { waiter.resume() }",
          "if !waits, !planted(20) { waiter.resume() }"),
]
# This file is added to the copy. All faults use it.
SWITCH = """import Foundation

private let number = ProcessInfo.processInfo.environment["JOBKIT_PLANTED_FAULT"].flatMap { Int($0) }

@inline(__always)
func planted(_ fault: Int) -> Bool { number == fault }
"""
