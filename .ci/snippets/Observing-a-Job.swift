// snippet "weight: Int64(photo.size)": body of Import
// snippet "reportProgress(Double(row": subclass of Import
// snippet "SignpostObserver(": apple
import Synchronization
struct Photo: Sendable {
    let size = 0
}
struct Record: Sendable {}
let photo = Photo()
let download = ConcurrentOperation()
let job = JobController()
let recorder = TimelineRecorder()
class Import: JobController, @unchecked Sendable {
    let records: [Record] = []
    func store(_ photo: Photo) {}
    func insert(_ record: Record) {}
}
