// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "job-kit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "JobKit", targets: ["JobKit"]),
        .library(name: "JobJournal", targets: ["JobJournal"]),
        .library(name: "JobKitTesting", targets: ["JobKitTesting"]),
    ],
    targets: [
        .target(name: "JobKit"),
        .target(name: "JobJournal", dependencies: ["JobKit"]),
        .target(name: "JobKitTesting", dependencies: ["JobJournal", "JobKit"]),
        .testTarget(name: "JobKitTests", dependencies: ["JobKit", "JobKitTesting"]),
        .executableTarget(
            name: "journal-crash-job",
            dependencies: ["JobJournal"],
            path: "Tests/JournalCrashJob"
        ),
        .testTarget(
            name: "JobJournalTests",
            dependencies: ["JobJournal", "JobKitTesting", "journal-crash-job"]
        ),
        .testTarget(name: "JobKitTestingTests", dependencies: ["JobKit", "JobKitTesting"]),
    ],
    swiftLanguageModes: [.v6]
)
