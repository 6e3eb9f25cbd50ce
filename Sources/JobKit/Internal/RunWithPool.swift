import Foundation

/// Empties Objective-C's autorelease pool after each operation and each callback, where there is
/// one.
@inline(__always)
func runWithPool<Result>(_ body: () -> Result) -> Result {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
}
