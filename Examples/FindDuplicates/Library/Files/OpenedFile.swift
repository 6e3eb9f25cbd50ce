import Foundation

/// An open file that was checked against its listing.
///
/// It is closed with the object.
final class OpenedFile {
    let file: ScannedFile
    /// The file's stamp when it was opened.
    let stamp: FileStamp
    private let opened: OpenFile

    /// Opens a file and checks that it is the listed one.
    ///
    /// Since the listing, a folder of the path may have become a symbolic link, or a pipe may have
    /// replaced the file. Neither is read.
    ///
    /// - Parameter file: The listed file.
    /// - Throws: The reason why it cannot be read.
    init(_ file: ScannedFile) throws(ReadFailure) {
        self.file = file
        do throws(SystemError) {
            let flags = file.followsLink ? 0 : O_NOFOLLOW
            opened =
                if let root = file.root {
                    try OpenFile(file.path, below: root, flags: flags)
                } else {
                    try OpenFile(file.path, flags: flags)
                }
        } catch {
            throw ReadFailure(file, error)
        }
        let status = try Self.status(of: opened, file)
        stamp = FileStamp(status)
        let isAsLarge = status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) == file.size
        guard isAsLarge else { throw .changed(file) }
        guard stamp.identity == file.identity else { throw .replaced(file) }
    }

    /// Returns a value that no other file has, even if it has the same stamp.
    func watch(in watches: FileWatches) throws(SystemError) -> Int32 {
        try watches.watch(opened)
    }

    /// Moves the reading position.
    ///
    /// - Parameter offset: The first byte to read next, counted from 0.
    /// - Throws: The reason why it cannot be read.
    func skip(to offset: Int64) throws(ReadFailure) {
        guard offset == 0 || lseek(opened.descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw ReadFailure(file, .last)
        }
    }

    /// Reads the next bytes completely.
    ///
    /// - Parameters:
    ///   - length: The number of bytes.
    ///   - endsFile: Whether these are the file's last bytes. In this case, one more byte is
    ///     requested, which detects a file that has grown without another call.
    ///   - buffer: Receives the bytes. It has room for one more.
    /// - Throws: The reason why they cannot all be read.
    func readNext(
        _ length: Int,
        endsFile: Bool,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(ReadFailure) {
        let asked = endsFile ? length + 1 : length
        var count = 0
        // A regular file returns fewer bytes than requested only at its end.
        while count < length {
            let more = read(
                opened.descriptor,
                buffer.baseAddress?.advanced(by: count),
                asked - count
            )
            if more == 0 { break }
            if more > 0 {
                count += more
            } else if errno != EINTR {
                throw ReadFailure(file, .last)
            }
        }
        guard count != length else { return }
        let size = Int64(try Self.status(of: opened, file).st_size)
        throw count < length && size == file.size ? .tooShort(file) : .changed(file)
    }

    private static func status(
        of opened: borrowing OpenFile,
        _ file: ScannedFile
    ) throws(ReadFailure) -> stat {
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else { throw ReadFailure(file, .last) }
        return status
    }
}
