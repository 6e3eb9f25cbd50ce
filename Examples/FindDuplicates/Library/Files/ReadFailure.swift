/// The reason why a listed file cannot be compared.
enum ReadFailure: Error, Equatable {
    /// It no longer exists, so it has no duplicates.
    case vanished
    /// It could not be read, or is no longer the listed file.
    case problem(FileProblem)

    init(_ file: ScannedFile, _ error: SystemError) {
        self = error.meansVanished ? .vanished : .problem(FileProblem(path: file.path, error))
    }

    /// The path leads to a file with another number than the listed one.
    static func replaced(_ file: ScannedFile) -> ReadFailure {
        let reason = "was replaced, or its file system gives it another number each time"
        return .problem(FileProblem(path: file.path, reason: reason))
    }

    /// The file was replaced by something else, or has grown or shrunk.
    static func changed(_ file: ScannedFile) -> ReadFailure {
        .problem(FileProblem(path: file.path, reason: "changed while it was read"))
    }

    /// The file ends before its size, as files of the kernel do.
    static func tooShort(_ file: ScannedFile) -> ReadFailure {
        .problem(FileProblem(path: file.path, reason: "gives fewer bytes than its size"))
    }
}
