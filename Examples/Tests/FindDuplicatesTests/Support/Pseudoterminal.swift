import Foundation

/// A terminal without a screen, whose output is read at the other end.
struct Pseudoterminal {
    /// The end that a process uses as its terminal.
    let terminal: FileHandle
    private let screen: Int32

    init() {
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        var (screen, terminal): (Int32, Int32) = (-1, -1)
        requireSuccess(openpty(&screen, &terminal, nil, nil, &size), "openpty")
        self.screen = screen
        self.terminal = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    }

    /// Reads the screen until it meets a condition, or the other end is closed.
    func read(until isWanted: (String) -> Bool = { _ in false }) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(screen, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
            if isWanted(String(decoding: bytes, as: UTF8.self)) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
