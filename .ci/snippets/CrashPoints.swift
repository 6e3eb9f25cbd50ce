import JobJournal
import JobKitTesting
import XCTest

// snippet "testTheImportSurvivesEveryCrash": members of ImportTests

final class ImportTests: XCTestCase {}
let rows: [Int] = []
func importAll(_ rows: [Int], _ journal: JobJournal) async throws -> Int { 0 }
