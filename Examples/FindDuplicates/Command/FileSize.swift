import ArgumentParser
import FindDuplicates

/// A file's length as an argument gives it: a number of bytes, or one with a unit.
enum FileSize {
    /// Takes what ``ByteSize/parse(_:)`` understands.
    ///
    /// - Parameter argument: The text.
    /// - Returns: The number of bytes.
    /// - Throws: What is wrong with the text.
    static func parse(_ argument: String) throws -> Int64 {
        guard !argument.hasPrefix("-") else { throw ValidationError("It must not be negative.") }
        guard let bytes = ByteSize.parse(argument) else {
            throw ValidationError("A size is a number of bytes, or one as 10K, 2M or 500kB.")
        }
        return bytes
    }
}
