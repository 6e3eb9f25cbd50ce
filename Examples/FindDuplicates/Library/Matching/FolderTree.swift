/// The folders listed so far, each once, and every way by which each was reached.
///
/// One folder may have several names: two arguments lie within each other, or it is mounted at two
/// places. Which of them is listed first is chance. Names are therefore given at the end, as one
/// walk would give them that takes the arguments in order and the folders of each by name.
struct FolderTree {
    /// Where a path was found: among the arguments, or in a folder that was listed.
    enum Place {
        case argument(Int)
        case folder(Int)
    }

    private struct Folder {
        let listing: FolderListing
        var subfolders: [(path: BytePath, folder: Int)] = []
        var problems: [FileProblem]
    }

    private var arguments: [(path: BytePath, folder: Int)?]
    private var argumentProblems: [FileProblem] = []
    private var folders: [Folder] = []
    private var numbers: [FileStamp: Int] = [:]

    /// How many regular files were found.
    private(set) var fileCount = 0

    /// Begins with nothing listed.
    ///
    /// - Parameter argumentCount: How many arguments there are.
    init(argumentCount: Int) {
        arguments = Array(repeating: nil, count: argumentCount)
    }

    /// Takes a listing.
    ///
    /// - Parameters:
    ///   - listing: What the folder holds.
    ///   - place: Where its path was found.
    /// - Returns: The folders to list next and where they were found: none if the folder was
    ///   listed before by another name.
    mutating func listed(_ listing: FolderListing, at place: Place) -> ([BytePath], Place) {
        let known = numbers[listing.stamp]
        let number = known ?? folders.count
        switch place {
        case .argument(let argument): arguments[argument] = (listing.path, number)
        case .folder(let parent): folders[parent].subfolders.append((listing.path, number))
        }
        guard known == nil else { return ([], .folder(number)) }
        numbers[listing.stamp] = number
        folders.append(Folder(listing: listing, problems: listing.problems))
        fileCount += listing.regularFileCount
        return (listing.folders, .folder(number))
    }

    /// Takes a folder that could not be listed.
    mutating func failed(_ problem: FileProblem, at place: Place) {
        switch place {
        case .argument: argumentProblems.append(problem)
        case .folder(let parent): folders[parent].problems.append(problem)
        }
    }

    /// Gives every file and problem its name, whatever the order of the listings was.
    ///
    /// - Parameter roots: The beginning of each argument's paths that may lead through links.
    /// - Returns: The files in their order.
    func named(below roots: [SearchRoot] = []) -> NamedFiles {
        var named = NamedFiles()
        named.problems = argumentProblems
        var isVisited = Array(repeating: false, count: folders.count)
        for (index, argument) in arguments.enumerated() {
            named.beginArgument()
            let root = roots.isEmpty ? nil : roots[index]
            var waiting = argument.map { [$0] } ?? []
            while let (path, number) = waiting.popLast() {
                guard !isVisited[number] else { continue }
                isVisited[number] = true
                let folder = folders[number]
                let old = folder.listing.path
                named.add(folder.listing.files, below: root, problems: folder.problems) {
                    path == old ? $0 : $0.moved(from: old, to: path)
                }
                waiting += folder.subfolders
                    .map { ($0.path.moved(from: old, to: path), $0.folder) }
                    .sorted { $0.0 > $1.0 }
            }
        }
        return named
    }
}
