import XCTest

/// Expects that `body` throws an error of a type.
func expectThrow<Failure: Error, Value>(
    _ type: Failure.Type,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ body: () async throws -> Value
) async {
    do {
        let value = try await body()
        XCTFail("no error, but \(value)", file: file, line: line)
    } catch {
        XCTAssertTrue(error is Failure, "\(error)", file: file, line: line)
    }
}
