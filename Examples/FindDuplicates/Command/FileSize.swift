import ArgumentParser
import FindDuplicates

/// Parses a file size in an argument: a number of bytes, optionally with a unit.
enum FileSize {
    /// Parses the formats of ``ByteSize/parse(_:)``.
    ///
    /// - Parameter argument: The text.
    /// - Returns: The number of bytes.
    /// - Throws: A description of the problem.
    static func parse(_ argument: String) throws -> Int64 {
        guard !argument.hasPrefix("-") else { throw ValidationError("It must not be negative.") }
        guard let bytes = ByteSize.parse(argument) else {
            throw ValidationError("A size is a number of bytes, or one as 10K, 2M or 500kB.")
        }
        return bytes
    }
}
