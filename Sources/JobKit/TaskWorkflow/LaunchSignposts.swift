#if canImport(os)
import Foundation
import os

/// Shows the tasks of launches as intervals among Instruments' Points of Interest.
enum LaunchSignposts {
    // Made anew each time: the system keeps one log for the same subsystem and category.
    private static var log: OSLog { OSLog(subsystem: "JobKit", category: .pointsOfInterest) }

    static func taskBegan(_ task: LaunchTask) {
        let log = log
        os_signpost(
            .begin,
            log: log,
            name: "Launch task",
            signpostID: OSSignpostID(log: log, object: task),
            "%{public}@",
            task.label as NSString
        )
    }

    static func taskEnded(_ task: LaunchTask) {
        let log = log
        os_signpost(
            .end,
            log: log,
            name: "Launch task",
            signpostID: OSSignpostID(log: log, object: task)
        )
    }
}
#else
/// There are no signposts on this platform.
enum LaunchSignposts {
    static func taskBegan(_ task: LaunchTask) {}
    static func taskEnded(_ task: LaunchTask) {}
}
#endif
