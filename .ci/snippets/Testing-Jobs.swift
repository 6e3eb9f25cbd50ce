// snippet "final class UploadJobTests": file
// snippet "testBusyServer": file
// snippet "testThirdFailure": file
// snippet "testUploadThatHangs": file
// snippet "testSlowAttempt": members of UploadJobTests
// snippet "testImportThatTakesTooLong": members of UploadJobTests
// snippet "testFirstStep": members of UploadJobTests
import JobKitTesting
import XCTest
