import Foundation

/// Describes the machine and its load during the measurement.
enum MachineDescription {
    /// One line with the system, the cores and the current load.
    static var text: String {
        let process = ProcessInfo.processInfo
        var loads = [0.0, 0.0, 0.0]
        let count = getloadavg(&loads, 3)
        let load = count > 0 ? NumberText.fixed(loads[0], places: 2) : "unknown"
        return "\(process.operatingSystemVersionString), \(process.activeProcessorCount) cores, "
            + "load \(load)" + (isOptimized ? "" : ", NOT OPTIMIZED: use -c release") + "\n"
    }

    private static var isOptimized: Bool {
        var isOptimized = true
        assert(
            {
                isOptimized = false
                return true
            }()
        )
        return isOptimized
    }
}
