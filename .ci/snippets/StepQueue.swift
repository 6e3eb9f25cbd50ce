import JobKitTesting
import XCTest

final class ImportJob: JobController, @unchecked Sendable {}
