// snippet "trackAndQueue(upload, on: uploads": body of Album
struct Account: Identifiable, Sendable { let id = 7 }
let account = Account()
let photo = ""
final class Upload: ConcurrentOperation, @unchecked Sendable {
    init(_ photo: String) {}
}
final class Album: JobController, @unchecked Sendable {
    let uploads = KeyedQueue<Account.ID>()
    let upload = Upload("")
}
