import Foundation
import JobKit
import Synchronization

// snippet "file.account": body of Uploads
// snippet "setSuspended(_ isSuspended": file
// snippet "class StandingUploads": file
// snippet "enum Trace": body
struct File: Sendable { let account: String }
let files: [File] = []
final class Upload: ConcurrentOperation, @unchecked Sendable { init(_ file: File) { super.init() } }
final class Uploads: JobController, @unchecked Sendable {}
final class Synchronize: JobController, @unchecked Sendable {}
final class ImportTable: ConcurrentOperation, @unchecked Sendable {
    init(_ table: String) { super.init() }
}
let deadline = ContinuousClock.now
let job = JobController()
func log(_ text: String) {}
func show(_ fraction: Double) {}
