import Foundation

/// Runs an operation or callback in its own autorelease pool, if the platform has Objective-C.
func runWithPool<Result>(_ body: () -> Result) -> Result {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
}
