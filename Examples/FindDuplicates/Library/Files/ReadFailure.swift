/// Why a file that was listed cannot be compared.
enum ReadFailure: Error, Equatable {
    /// It is gone, so it equals nothing.
    case vanished
    /// It could not be read, or is no longer the file that was listed.
    case problem(FileProblem)

    init(_ file: ScannedFile, _ error: SystemError) {
        self = error.meansVanished ? .vanished : .problem(FileProblem(path: file.path, error))
    }

    /// The file was replaced, or has grown or shrunk.
    static func changed(_ file: ScannedFile) -> ReadFailure {
        .problem(FileProblem(path: file.path, reason: "changed while it was read"))
    }

    /// The file ends before its size says: the kernel's own files do so.
    static func tooShort(_ file: ScannedFile) -> ReadFailure {
        .problem(FileProblem(path: file.path, reason: "gives fewer bytes than its size"))
    }
}
