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
        // The package in Tests/Endurance compiles the same support. Its targets cannot reach out of
        // its folder, so the support is inside.
        .testTarget(
            name: "JobKitTests",
            dependencies: ["JobKit", "JobKitTesting"],
            path: "Tests",
            sources: ["JobKitTests", "Endurance/Support/JobKit"]
        ),
        .testTarget(
            name: "JobJournalTests",
            dependencies: ["JobJournal", "JobKitTesting"],
            path: "Tests",
            sources: ["JobJournalTests", "Endurance/Support/JobJournal"]
        ),
        .testTarget(name: "JobKitTestingTests", dependencies: ["JobKit", "JobKitTesting"]),
    ],
    swiftLanguageModes: [.v6]
)
