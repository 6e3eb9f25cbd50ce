import ArgumentParser
import Foundation

/// What the command writes.
enum Output {
    /// Writes a message on standard error, in a line of its own.
    static func message(_ text: String) {
        raw("find-duplicates-on-hosts: \(text)\n")
    }

    /// Writes a message and gives the exit status that belongs to it.
    static func failure(_ text: String, _ status: Int32) -> ExitCode {
        message(text)
        return ExitCode(status)
    }

    /// Writes a text on standard error as it is.
    static func raw(_ text: String) {
        // What cannot be written is lost: there is nobody to tell.
        try? write(Array(text.utf8), to: STDERR_FILENO, named: nil)
    }

    /// A text without characters that could change what a terminal shows.
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

    /// Writes bytes to a descriptor; a pipe whose reader has seen enough is fine.
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
