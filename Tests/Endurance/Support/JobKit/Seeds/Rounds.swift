import Foundation

#if ENDURANCE
private let runsAll = true
let runsLong = true
#else
private let runsAll = ProcessInfo.processInfo.environment["JOBKIT_ALL_ROUNDS"] != nil
let runsLong = ProcessInfo.processInfo.environment["JOBKIT_FULL_LENGTH"] != nil
#endif

/// Returns a tenth of `all`, or all of it in Endurance and if `JOBKIT_ALL_ROUNDS` is set.
///
/// Races use it for the number of their repetitions. `.ci/run` sets the variable in release and
/// under the sanitizers.
func rounds(of all: Int) -> Int { runsAll ? all : max(1, all / 10) }

/// Returns a tenth of `all`, or all of it in Endurance and if `JOBKIT_FULL_LENGTH` is set.
///
/// Long jobs and large queues use it for their sizes. `.ci/run` sets the variable in release only,
/// because a sanitizer finds nothing more in a longer job, and would take minutes.
func length(of all: Int) -> Int { runsLong ? all : max(1, all / 10) }

/// Returns one less than `all`, or `all` if ``length(of:)`` returns the full length.
///
/// Searches use it for the number of inputs that they try in every order.
func depth(of all: Int) -> Int { runsLong ? all : all - 1 }
