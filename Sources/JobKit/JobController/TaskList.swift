/// The records of the tasks that a job has not delivered.
struct TaskList {
    private var places: ContiguousArray<TaskRecord> = []
    private var nextNumber = 0

    mutating func append(_ record: TaskRecord) {
        record.place = places.count
        record.number = nextNumber
        nextNumber += 1
        places.append(record)
    }

    /// Removes a record in constant time: the last one takes its place.
    mutating func remove(_ record: TaskRecord) {
        guard let place = record.place else { return }
        record.place = nil
        let last = places.removeLast()
        guard last !== record else { return }
        last.place = place
        places[place] = last
    }

    mutating func removeAll() -> [TaskRecord] {
        let records = records
        for record in records { record.place = nil }
        places = []
        return records
    }

    /// All records, in the order tracked.
    var records: [TaskRecord] { places.sorted { $0.number < $1.number } }
}
