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
    ///
    /// - Returns: The files. Files that cannot be distinguished from others are added to the
    ///   problems instead.
    mutating func candidates() -> [Candidates] {
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

    private mutating func differentFiles(_ indices: ArraySlice<Int>) -> [ScannedFile] {
        var positions: [FileStamp: Int] = [:]
        var kept: [Int] = []
        // The further names of the file at a position.
        var others: [Int: [Int]] = [:]
        for index in indices {
            if let position = positions[files[index].stamp] {
                others[position, default: []].append(index)
            } else {
                positions[files[index].stamp] = kept.count
                kept.append(index)
            }
        }
        guard !others.isEmpty else { return kept.map { files[$0] } }
        return kept.enumerated()
            .flatMap { position, index in
                others[position].map { differentFiles(among: [index] + $0) } ?? [files[index]]
            }
    }

    /// Returns one name of each file among names with equal stamps.
    private mutating func differentFiles(among names: [Int]) -> [ScannedFile] {
        let first = firstFile(of: names)
        // A file has no more names than links, unless it is mounted or linked symbolically.
        guard names.count > first.stamp.linkCount else { return [first] }
        do throws(SystemError) {
            return try namesOfEachFile(among: names).map(firstFile)
        } catch {
            let others = names.map { files[$0].path }.filter { $0 != first.path }
            problems += others.map { .ambiguous($0, first.path, error) }
            return [first]
        }
    }

    /// Divides names with equal stamps by the files to which they lead.
    private func namesOfEachFile(among names: [Int]) throws(SystemError) -> [[Int]] {
        let watches = FileWatches()
        var positions: [Int32: Int] = [:]
        var parts: [[Int]] = []
        for name in names {
            // The comparison reports a file that cannot be opened.
            guard let opened = try? OpenedFile(files[name]) else {
                parts.append([name])
                continue
            }
            let watch = try opened.watch(in: watches)
            if let position = positions[watch] {
                parts[position].append(name)
            } else {
                positions[watch] = parts.count
                parts.append([name])
            }
        }
        return parts
    }

    /// Returns a file by the first of its names.
    private func firstFile(of names: [Int]) -> ScannedFile {
        let argument = argument(of: names[0])
        let ofOneArgument = names.prefix { self.argument(of: $0) == argument }
        return ofOneArgument.map { files[$0] }.min { $0.path < $1.path } ?? files[names[0]]
    }

    private func argument(of index: Int) -> Int? {
        argumentStarts.lastIndex { $0 <= index }
    }
}
