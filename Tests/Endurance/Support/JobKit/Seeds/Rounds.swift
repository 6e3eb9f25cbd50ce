import Foundation

#if ENDURANCE
private let runsAll = true
#else
private let runsAll = ProcessInfo.processInfo.environment["JOBKIT_ALL_ROUNDS"] != nil
#endif

/// Returns a tenth of `all`, or all of it in Endurance and if `JOBKIT_ALL_ROUNDS` is set.
///
/// Races and long jobs use it for their counts. `.ci/run` sets the variable in release and under
/// the sanitizers.
func rounds(of all: Int) -> Int { runsAll ? all : max(1, all / 10) }
