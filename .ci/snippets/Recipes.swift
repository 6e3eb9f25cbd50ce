import Foundation
import JobKit
import Synchronization

struct File: Sendable { let account: String }
let files: [File] = []
final class Upload: ConcurrentOperation, @unchecked Sendable { init(_ file: File) { super.init() } }
final class ImportTable: ConcurrentOperation, @unchecked Sendable {
    init(_ table: String) { super.init() }
}
let deadline = ContinuousClock.now
let job = JobController()
func log(_ text: String) {}
func show(_ fraction: Double) {}
// snippet "for file in files {": body of JobController
