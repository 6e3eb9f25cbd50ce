import Foundation

/// Identifies the machine's boot session.
///
/// Bytes that were passed to the operating system are still there in the same boot session.
enum BootID {
    /// Returns the digest of the boot session.
    ///
    /// Nil if the system does not report it.
    static func digest(_ fileKey: FileKey) -> SipHash.Digest? {
        text.map { fileKey.digest(.preamble, Array($0.utf8)) }
    }

    private static let text: String? = {
        #if canImport(Darwin)
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #endif
    }()
}
