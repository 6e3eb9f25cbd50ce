/// A job to be delivered to when `start()` has returned.
///
/// What a finished task leaves is its record and not the job's effects: those all threads would
/// retain, and the cache line with their count would travel from core to core.
enum DeferredDelivery {
    /// The job that tracks a task, which has finished.
    case ofTask(TaskRecord)
    /// A job whose own `main()` has returned.
    case ofJob(JobEffects)

    func claim() -> Bool {
        switch self {
        case .ofTask(let record): record.effects.claimDelivery()
        case .ofJob(let effects): effects.claimDelivery()
        }
    }

    /// The effects of the job.
    var effects: JobEffects {
        switch self {
        case .ofTask(let record): record.effects
        case .ofJob(let effects): effects
        }
    }
}
