import Foundation

/// Socket constants that have different types in the platforms' headers.
enum SocketConstants {
    #if canImport(Darwin)
    static let stream = SOCK_STREAM
    #else
    static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}
