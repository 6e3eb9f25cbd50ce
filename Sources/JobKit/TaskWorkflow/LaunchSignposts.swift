/// Shows the tasks of launches as intervals among Instruments' Points of Interest.
enum LaunchSignposts {
    #if canImport(os)
    private static let intervals = SignpostIntervals(name: "Launch task", subsystem: "JobKit")

    static func taskBegan(_ task: LaunchTask) {
        intervals.begin(task.eventID, label: task.label)
    }

    static func taskEnded(_ task: LaunchTask) {
        intervals.end(task.eventID, as: task.outcome?.word ?? "finished")
    }
    #else
    // There are no signposts on this platform.
    static func taskBegan(_ task: LaunchTask) {}
    static func taskEnded(_ task: LaunchTask) {}
    #endif
}
