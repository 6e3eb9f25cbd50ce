import Foundation

/// The resources that a process has used.
enum ProcessReading {
    /// The processor time of all threads of a process, in milliseconds.
    static func milliseconds(of process: Int32) -> Double {
        #if os(Linux)
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            fatalError("The process \(process) has no clock")
        }
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
        #else
        var scale = mach_timebase_info_data_t()
        mach_timebase_info(&scale)
        let usage = usage(of: process)
        let ticks = Double(usage.ri_user_time + usage.ri_system_time)
        return ticks * Double(scale.numer) / Double(scale.denom) / 1_000_000
        #endif
    }

    /// The resident memory of a process, in KiB.
    static func residentKiB(of process: Int32) -> Double {
        #if os(Linux)
        let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            fatalError("The process \(process) has no memory")
        }
        return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1_024
        #else
        return Double(usage(of: process).ri_resident_size) / 1_024
        #endif
    }

    #if !os(Linux)
    private static func usage(of process: Int32) -> rusage_info_v2 {
        var usage = rusage_info_v2()
        let status = withUnsafeMutablePointer(to: &usage) { pointer in
            pointer.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
                proc_pid_rusage(process, RUSAGE_INFO_V2, $0)
            }
        }
        guard status == 0 else { fatalError("The process \(process) cannot be read") }
        return usage
    }
    #endif
}
