import Foundation

/// What the platforms' socket headers declare with different types.
enum SocketConstants {
    #if canImport(Darwin)
    static let stream = SOCK_STREAM
    #else
    static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}
