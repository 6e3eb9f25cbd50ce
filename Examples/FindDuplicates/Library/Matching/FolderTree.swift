/// The listed folders, each once, with every way by which it was reached.
///
/// A folder may have several names, because one argument may contain another, or because the folder
/// is mounted in two locations. It is random which name is listed first. Therefore, names are
/// assigned at the end, in the order of a single walk through the arguments in order, and through
/// the folders of each by name.
struct FolderTree {
    /// The location in which a path was found: among the arguments or in a listed folder.
    enum Location {
        case argument(Int)
        case folder(Int)
    }

    /// Returns a value that is the same for all names of a folder, and for no other folder.
    typealias Watching = @Sendable (FolderListing) throws(SystemError) -> Int32

    /// The folders with equal stamps.
    private struct Alike {
        let first: Int
        /// The folders by their watches, which are needed only if there are further listings.
        var byWatch: [Int32: Int] = [:]
    }

    private struct Folder {
        let listing: FolderListing
        var subfolders: [(path: BytePath, folder: Int)] = []
        var problems: [FileProblem]
    }

    private var arguments: [(path: BytePath, folder: Int)?]
    private var argumentProblems: [FileProblem] = []
    private var folders: [Folder] = []
    /// The folders with each stamp.
    ///
    /// There are several only if their file system gives them the same number.
    private var alike: [FileStamp: Alike] = [:]

    /// The number of regular files found.
    private(set) var fileCount = 0

    private let watch: Watching

    /// Creates a tree without listings.
    ///
    /// - Parameters:
    ///   - argumentCount: The number of arguments.
    ///   - watch: Distinguishes folders with equal stamps.
    init(argumentCount: Int, watch: @escaping Watching) {
        arguments = Array(repeating: nil, count: argumentCount)
        self.watch = watch
    }

    /// Creates a tree in which the kernel distinguishes folders with equal stamps.
    init(argumentCount: Int) {
        let watches = FileWatches()
        self.init(argumentCount: argumentCount) { listing throws(SystemError) in
            try listing.watch(in: watches)
        }
    }

    /// Adds a listing.
    ///
    /// - Parameters:
    ///   - listing: The content of the folder.
    ///   - location: The location in which its path was found.
    /// - Returns: The folders to list next with their location, or none if the folder was already
    ///   listed by another name.
    mutating func listed(_ listing: FolderListing, at location: Location) -> ([BytePath], Location)
    {
        let known = knownFolder(of: listing, at: location)
        let number = known ?? folders.count
        switch location {
        case .argument(let argument): arguments[argument] = (listing.path, number)
        case .folder(let parent): folders[parent].subfolders.append((listing.path, number))
        }
        guard known == nil else { return ([], .folder(number)) }
        folders.append(Folder(listing: listing, problems: listing.problems))
        fileCount += listing.regularFileCount
        return (listing.folders, .folder(number))
    }

    /// Returns the known folder of a listing, or nil if the next number becomes its number.
    private mutating func knownFolder(of listing: FolderListing, at location: Location) -> Int? {
        guard let first = alike[listing.stamp]?.first else {
            alike[listing.stamp] = Alike(first: folders.count)
            return nil
        }
        do throws(SystemError) {
            if alike[listing.stamp]?.byWatch.isEmpty == true {
                let watch = try watch(folders[first].listing)
                alike[listing.stamp]?.byWatch[watch] = first
            }
            let watch = try watch(listing)
            if let known = alike[listing.stamp]?.byWatch[watch] { return known }
            alike[listing.stamp]?.byWatch[watch] = folders.count
            return nil
        } catch {
            // If one of them has vanished, its files are searched. They may have been moved.
            guard !error.meansVanished else { return nil }
            failed(.ambiguous(listing.path, folders[first].listing.path, error), at: location)
            return first
        }
    }

    /// Adds a folder that could not be listed.
    mutating func failed(_ problem: FileProblem, at location: Location) {
        switch location {
        case .argument: argumentProblems.append(problem)
        case .folder(let parent): folders[parent].problems.append(problem)
        }
    }

    /// Assigns a name to each file and problem, independent of the order of the listings.
    ///
    /// - Parameter roots: The beginning of each argument's paths that may lead through links.
    /// - Returns: The files in order.
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
