import ArgumentParser
import Foundation

/// Writes the command's messages and results.
enum Output {
    /// Writes a message to standard error on a separate line.
    static func message(_ text: String) {
        raw("find-duplicates-on-hosts: \(text)\n")
    }

    /// Writes a message and returns an exit status.
    static func failure(_ text: String, _ status: Int32) -> ExitCode {
        message(text)
        return ExitCode(status)
    }

    /// Writes a text to standard error unchanged.
    static func raw(_ text: String) {
        // An error is ignored, because there is no other way to report it.
        try? write(Array(text.utf8), to: STDERR_FILENO, named: nil)
    }

    /// Escapes characters that could change the state of a terminal.
    static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.flatMap { scalar -> [Character] in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    Array("\\u{\(String(scalar.value, radix: 16))}")
                default: [Character(scalar)]
                }
            }
        )
    }

    /// Writes bytes to a descriptor.
    ///
    /// A closed pipe is not an error.
    ///
    /// - Throws: The exit status, after a message that names the output.
    static func write(_ bytes: [UInt8], to descriptor: Int32, named name: String?) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            case EPIPE: return
            default:
                guard let name else { return }
                throw failure("\(name): \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }
}
