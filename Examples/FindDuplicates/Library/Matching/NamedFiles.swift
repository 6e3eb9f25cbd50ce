/// All found files, in an order that depends only on the arguments and the names.
struct NamedFiles {
    private(set) var files: [ScannedFile] = []
    var problems: [FileProblem] = []
    /// The index of the first file of each argument.
    private var argumentStarts: [Int] = []

    /// Begins the files of the next argument.
    mutating func beginArgument() {
        argumentStarts.append(files.count)
    }

    /// Adds the content of a folder.
    ///
    /// - Parameters:
    ///   - added: Its files.
    ///   - root: The beginning of their paths that may lead through symbolic links.
    ///   - newProblems: The problems in the folder.
    ///   - rename: Returns the name for a path.
    mutating func add(
        _ added: [ScannedFile],
        below root: SearchRoot? = nil,
        problems newProblems: [FileProblem],
        rename: (BytePath) -> BytePath
    ) {
        for var file in added {
            file.path = rename(file.path)
            if !file.followsLink { file.root = root }
            files.append(file)
        }
        for var problem in newProblems {
            problem.path = rename(problem.path)
            problems.append(problem)
        }
    }

    /// Returns the files that share their size with another file, largest first.
    ///
    /// Several names of one file count as one file. If the names are below one argument, the first
    /// in byte order is kept, otherwise the one below the earlier argument.
    func candidates() -> [Candidates] {
        let order = files.indices.sorted {
            let (left, right) = (files[$0].size, files[$1].size)
            return left == right ? $0 < $1 : left > right
        }
        var all: [Candidates] = []
        var rest = order[...]
        while let first = rest.first {
            let size = files[first].size
            let end = rest.firstIndex { files[$0].size != size } ?? rest.endIndex
            if end - rest.startIndex > 1 {
                let different = differentFiles(rest[..<end])
                if different.count > 1 { all.append(Candidates(size: size, files: different)) }
            }
            rest = rest[end...]
        }
        return all
    }

    private func differentFiles(_ indices: ArraySlice<Int>) -> [ScannedFile] {
        var positions: [FileStamp: Int] = [:]
        var kept: [Int] = []
        for index in indices {
            if let position = positions[files[index].stamp] {
                let known = kept[position]
                let isOfOneArgument = argument(of: known) == argument(of: index)
                if isOfOneArgument, files[index].path < files[known].path { kept[position] = index }
            } else {
                positions[files[index].stamp] = kept.count
                kept.append(index)
            }
        }
        return kept.map { files[$0] }
    }

    private func argument(of index: Int) -> Int? {
        argumentStarts.lastIndex { $0 <= index }
    }
}
