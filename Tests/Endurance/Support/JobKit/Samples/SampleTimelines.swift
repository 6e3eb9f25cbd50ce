import Foundation

@testable import JobKit

/// Generates timelines as a queue with a concurrency limit would record them, from a seed.
enum SampleTimelines {
    // Operation is used by many threads, but these operations never start.
    final class Download: Operation, @unchecked Sendable {}
    final class Resize: Operation, @unchecked Sendable {}
    final class Upload: Operation, @unchecked Sendable {}
    final class Album: Operation, @unchecked Sendable {}
    final class Import: Operation, @unchecked Sendable {}

    struct Broken: Error, CustomStringConvertible {
        var description: String { "connection <lost> & \"gone\"" }
    }

    /// Names that each export must escape and preserve.
    static let awkwardNames = [
        "", " ", "plain", "say \"hello\"", "a < b && c > d", "ratio: 3", "one; two", "#tag #35;",
        "line\nbreak", "tab\there", "bell\u{7}", "nul\u{0}", "delete\u{7F}", "next\u{85}line",
        "a,b,c", "👩‍👩‍👧‍👦 family", "e\u{301}", "日本語のタスク", "back\\slash \\n", "%% comment", "{{braces}}",
        "section nine", "title page", "click here", "2024-01-01", "after t1", "done",
        "</title><rect/>",
        "]]>", "&amp;", "\u{2028}separator", "'single'", "`tick`", " padded ", "gantt", "\r\n",
        "\u{202E}right to left", "\u{FFFF}", "end:", "$dollar", "[x](y)",
        "<script>alert(1)</script>",
    ]

    /// Simulates a root, albums below it and their photos, with a concurrency limit.
    static func simulated(
        count: Int,
        width: Int,
        albumSize: Int = 24,
        seed: UInt64 = 1
    ) -> [Timeline.Entry] {
        var random = WalkGenerator(seed: seed)
        var intervals = [interval("Import", Import.self, nil, 0, 0)]
        var free = Array(repeating: (time: 300, last: Int?.none), count: width)
        while intervals.count < count {
            guard let start = free.map(\.time).min() else { break }
            let album = intervals.count
            intervals.append(
                interval("Album \(album / albumSize + 1)", Album.self, 0, start, start)
            )
            for photo in 1..<max(min(albumSize, count - album), 1) {
                guard let slot = free.indices.min(by: { free[$0].time < free[$1].time }) else {
                    break
                }
                let length = Int(random.next() % 9_000) * Int(random.next() % 100 + 1) / 40 + 200
                let begin = free[slot].time + Int(random.next() % 300)
                let types: [Operation.Type] = [Download.self, Resize.self, Upload.self]
                let type = types[photo % 3]
                var task = interval("\(type) \(photo)", type, album, begin, begin + length)
                task.outcome = random.outcome()
                if let last = free[slot].last { task.predecessors = [last] }
                free[slot] = (begin + length, intervals.count)
                intervals.append(task)
                intervals[album].endTime = max(intervals[album].endTime, task.endTime)
                intervals[0].endTime = max(intervals[0].endTime, task.endTime)
            }
        }
        return intervals
    }

    /// Returns steps that start each other, as in a job that never does two things at once.
    static func sequential(count: Int) -> [Timeline.Entry] {
        var intervals = [interval("Steps", Import.self, nil, 0, count * 10)]
        for step in 1..<count {
            var task = interval("Step \(step)", Resize.self, 0, step * 10, step * 10 + 9)
            if step > 1 { task.predecessors = [step - 1] }
            intervals.append(task)
        }
        return intervals
    }

    /// Returns tasks that all run at the same time.
    static func wide(count: Int) -> [Timeline.Entry] {
        var intervals = [interval("Fan-out", Import.self, nil, 0, count * 2)]
        for task in 1..<count {
            intervals.append(interval("Task \(task)", Download.self, 0, task, count + task))
        }
        return intervals
    }

    /// A task for each awkward name.
    static var awkward: [Timeline.Entry] {
        [interval("awkward: <names>", Import.self, nil, 0, awkwardNames.count * 1_000)]
            + awkwardNames.enumerated()
            .map { index, name in
                interval(name, Upload.self, 0, index * 500, index * 1_000 + 1_000)
            }
    }

    /// Returns jobs that are nested `depth` levels deep.
    static func nested(depth: Int) -> [Timeline.Entry] {
        (0..<depth)
            .map { level in
                interval(
                    "Level \(level)",
                    Album.self,
                    level == 0 ? nil : level - 1,
                    level,
                    3 * depth - level
                )
            }
    }

    /// Returns an interval given in microseconds.
    static func interval(
        _ name: String,
        _ type: Operation.Type,
        _ parent: Int?,
        _ start: Int,
        _ end: Int,
        after predecessors: [Int] = []
    ) -> Timeline.Entry {
        var entry = Timeline.Entry(
            name: name,
            typeName: "\(type)",
            group: parent.map { _ in "\(type)" },
            parent: parent,
            startTime: Int64(start) * 1_000,
            endTime: Int64(end) * 1_000,
            predecessors: predecessors
        )
        entry.outcome = .succeeded
        return entry
    }
}

extension WalkGenerator {
    fileprivate mutating func outcome() -> OperationOutcome? {
        switch next() % 50 {
        case 0: .failed(SampleTimelines.Broken())
        case 1: .cancelled
        case 2: nil
        default: .succeeded
        }
    }
}
