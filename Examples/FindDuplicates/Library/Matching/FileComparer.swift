import Foundation

/// Finds the equal files among candidates by comparing their bytes.
///
/// If the files are few, they are opened together and read side by side, piece by piece. Each file
/// is read once, and only as far as it equals another one. If there are more files than may be open
/// at a time, they must have equal hashes, so that nearly always all of them are equal. Then each
/// file is compared with the first one.
struct FileComparer: ~Copyable {
    /// The length of the first piece in bytes.
    static let headLength: Int64 = 4096
    /// The length of all further pieces in bytes.
    private static let pieceLength = 128 * 1024

    /// A file under comparison, and the slot of the buffer with its latest piece.
    private struct Member {
        let index: Int
        let slot: Int
        let opened: OpenedFile
    }

    /// The findings so far.
    private(set) var findings = Findings()

    private let filesAtATime: Int
    private let slotLength: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var meter: WorkMeter

    /// Allocates the buffer.
    ///
    /// - Parameters:
    ///   - filesAtATime: The number of files that may be open at a time, at least 2.
    ///   - largest: The length of the largest file to compare, in bytes.
    ///   - meter: Counts the work, and decides whether to stop.
    init(filesAtATime: Int, largest: Int64, meter: WorkMeter) {
        precondition(filesAtATime >= 2, "One file by itself has none to be compared with")
        self.filesAtATime = filesAtATime
        self.meter = meter
        // A slot has room for one byte more than a piece, see `OpenedFile.readNext`.
        let longest = Int(min(largest, Int64(Self.pieceLength)))
        slotLength = max(longest, Int(Self.headLength)) + 64
        buffer = .allocate(byteCount: slotLength * filesAtATime, alignment: 64)
    }

    deinit {
        buffer.deallocate()
    }

    /// Compares files, and adds the groups of equal ones to the findings.
    mutating func compare(_ candidates: Candidates) {
        let files = candidates.files
        if files.count <= filesAtATime {
            let labels = split(files)
            for (_, members) in Dictionary(grouping: files.indices, by: { labels[$0] }) {
                addGroup(members.filter { labels[$0] != nil }.map { files[$0] })
            }
        } else {
            precondition(candidates.hashedLength == candidates.size, "Hash so many first")
            compareWithTheFirst(files)
        }
    }

    /// Compares many files with equal hashes.
    private mutating func compareWithTheFirst(_ files: [ScannedFile]) {
        var rest = files
        while let first = rest.first, !meter.isStopped() {
            var group = [first]
            // Files with a hash collision, or files that have changed since they were hashed.
            var others: [ScannedFile] = []
            var waiting = rest.dropFirst()
            while !waiting.isEmpty {
                let some = Array(waiting.prefix(filesAtATime - 1))
                waiting = waiting.dropFirst(some.count)
                let labels = split([first] + some)
                for (file, label) in zip(some, labels.dropFirst()) where label != nil {
                    if label == labels[0] { group.append(file) } else { others.append(file) }
                }
            }
            addGroup(group)
            rest = others
        }
    }

    private mutating func addGroup(_ files: [ScannedFile]) {
        guard files.count > 1 else { return }
        let paths = files.map(\.path).sorted()
        findings.groups.append(DuplicateGroup(size: files[0].size, paths: paths))
    }

    /// Reads files side by side.
    ///
    /// - Returns: A label for each file, equal for files with equal content. Nil if it was not
    ///   read.
    private mutating func split(_ files: [ScannedFile]) -> [Int?] {
        var labels = [Int?](repeating: nil, count: files.count)
        var lastLabel = 0
        let size = files[0].size
        var waiting = [(members: open(files), offset: Int64(0))]
        while let (members, offset) = waiting.popLast(), !meter.isStopped() {
            if members.count < 2 || offset == size {
                lastLabel += 1
                for member in members { labels[member.index] = lastLabel }
                meter.ended(members.count, remaining: size - offset)
                continue
            }
            let longest = offset == 0 ? Self.headLength : Int64(slotLength - 64)
            let length = Int(min(longest, size - offset))
            let end = offset + Int64(length)
            for part in splitByNextPiece(members, length: length, endsFile: end == size) {
                waiting.append((part, end))
            }
        }
        return labels
    }

    private mutating func open(_ files: [ScannedFile]) -> [Member] {
        var members: [Member] = []
        var stamps: Set<FileStamp> = []
        let watches = FileWatches()
        for (index, file) in files.enumerated() {
            do throws(ReadFailure) {
                let opened = try OpenedFile(file)
                // Another name of a file that has changed between the listings of its two folders.
                let isNew =
                    stamps.insert(opened.stamp).inserted
                    || isNew(opened, among: members, watches)
                guard isNew else {
                    meter.ended(1, remaining: file.size)
                    continue
                }
                members.append(Member(index: index, slot: index, opened: opened))
            } catch {
                findings.add(error)
                meter.ended(1, remaining: file.size)
            }
        }
        return members
    }

    /// Whether an opened file is none of those with the same stamp.
    private mutating func isNew(
        _ opened: OpenedFile,
        among members: [Member],
        _ watches: FileWatches
    ) -> Bool {
        let others = members.map(\.opened).filter { $0.stamp == opened.stamp }
        for other in others {
            do throws(SystemError) {
                if try opened.watch(in: watches) == other.watch(in: watches) { return false }
            } catch {
                findings.problems.append(.ambiguous(opened.file.path, other.file.path, error))
                return false
            }
        }
        return true
    }

    private mutating func splitByNextPiece(
        _ members: [Member],
        length: Int,
        endsFile: Bool
    ) -> [[Member]] {
        var parts: [[Member]] = []
        for member in members {
            do throws(ReadFailure) {
                try member.opened.readNext(length, endsFile: endsFile, into: slot(of: member))
            } catch {
                findings.add(error)
                continue
            }
            findings.readBytes += Int64(length)
            meter.read(length)
            if let part = parts.firstIndex(where: { isEqual($0[0], member, length) }) {
                parts[part].append(member)
            } else {
                parts.append([member])
            }
        }
        return parts
    }

    private func slot(of member: Member) -> UnsafeMutableRawBufferPointer {
        let start = member.slot * slotLength
        return UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + slotLength])
    }

    private func isEqual(_ left: Member, _ right: Member, _ length: Int) -> Bool {
        guard let left = slot(of: left).baseAddress, let right = slot(of: right).baseAddress else {
            return false
        }
        return memcmp(left, right, length) == 0
    }
}
