import Foundation
import XCTest

#if os(macOS) || os(Linux)
/// Runs `journal-crash-job` once, and returns how it ended.
///
/// The program prints no errors, so any output is from the runtime or a sanitizer.
func runCrashJob(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    // A pipe, because the program's file size limit would also apply to a file.
    let errors = Pipe()
    process.standardError = errors
    // On Linux, `waitUntilExit()` takes 50 ms, which is most of a session.
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let report = errors.fileHandleForReading.readDataToEndOfFile()
    ended.wait()
    let status = process.terminationStatus
    XCTAssertEqual(
        String(decoding: report, as: UTF8.self),
        "",
        "a session that ended with \(status) printed this"
    )
    return status
}

/// The program is next to the tests.
///
/// On Linux their bundle is in the build folder.
private let program: URL = {
    let bundle = Bundle(for: KilledJobTests.self).bundleURL
    let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    return folder.appendingPathComponent("journal-crash-job")
}()
#endif
