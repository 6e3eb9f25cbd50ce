import Foundation

/// Measures the resident memory of this process.
enum ResidentMemory {
    #if os(Linux)
    /// The resident bytes, as the kernel counts them in `/proc/self/statm`.
    static var bytes: Int {
        guard
            let statement = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = statement.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { fatalError("/proc/self/statm cannot be read") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
    #else
    /// The resident bytes, as the kernel counts them for the task.
    static var bytes: Int {
        var info = mach_task_basic_info()
        var count = mach_msg_type_number_t(
            MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size
        )
        let status = withUnsafeMutablePointer(to: &info) { info in
            info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) { info in
                // Swift 6 does not treat the variable `mach_task_self_` as a constant.
                task_info(task_self_trap(), task_flavor_t(MACH_TASK_BASIC_INFO), info, &count)
            }
        }
        precondition(status == KERN_SUCCESS, "task_info failed")
        return Int(info.resident_size)
    }
    #endif
}
