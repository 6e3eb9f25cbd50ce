import Foundation

/// Socket constants that have different types in the platforms' headers.
enum SocketConstants {
    #if canImport(Darwin)
    static let stream = SOCK_STREAM
    /// `MSG_NOSIGNAL`, which older SDKs lack.
    static let noSignal: Int32 = 0x80000
    #else
    static let stream = Int32(SOCK_STREAM.rawValue)
    static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
