import Foundation
import JobKit
import Synchronization

// snippet "let uploads": file
// snippet "let searches": file
// snippet "let tokens": file
// snippet "self.startUploads": body of Uploads
// snippet "let exclusive": body
// snippet "setMaxConcurrentOperationCount(1": body of Uploads
// snippet "setSuspended(_ isSuspended": file
// snippet "class StandingUploads": file
// snippet "enum Trace": body
struct File: Sendable { let account: String }
let files: [File] = []
final class Upload: ConcurrentOperation, @unchecked Sendable { init(_ file: File) { super.init() } }
final class Uploads: JobController, @unchecked Sendable { func startUploads() {} }
final class Search: ConcurrentOperation, @unchecked Sendable {
    init(_ text: String) { super.init() }
}
struct Token: Sendable {}
final class FetchToken: ResultOperation<Token>, @unchecked Sendable {
    init(_ account: String) { super.init() }
}
final class SetAccount: ConcurrentOperation, @unchecked Sendable {}
final class RotateKey: ConcurrentOperation, @unchecked Sendable {}
final class Synchronize: JobController, @unchecked Sendable {}
final class ImportTable: ConcurrentOperation, @unchecked Sendable {
    init(_ table: String) { super.init() }
}
let deadline = ContinuousClock.now
let job = JobController()
func log(_ text: String) {}
func show(_ fraction: Double) {}
