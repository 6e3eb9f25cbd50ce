/// Shows the tasks of launches as intervals among Instruments' Points of Interest.
enum LaunchSignposts {
    #if canImport(os)
    private static let intervals = SignpostIntervals(name: "Launch task", subsystem: "JobKit")

    static func taskBegan(_ task: LaunchTask) {
        intervals.begin(task.operationID, label: task.label)
    }

    static func taskEnded(_ task: LaunchTask) {
        intervals.end(task.operationID, as: task.outcome?.description ?? "finished")
    }
    #else
    // There are no signposts on this platform.
    static func taskBegan(_ task: LaunchTask) {}
    static func taskEnded(_ task: LaunchTask) {}
    #endif
}
