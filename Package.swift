// swift-tools-version: 6.2
import PackageDescription

// The package in Tests/Endurance compiles the same support. Its targets cannot use files outside its
// folder. Therefore, the support is inside, and the test targets here have two folders each.
let others = [
    "Benchmarks", "Endurance/Package.swift", "Endurance/README.md", "Endurance/Tests",
    "JobKitTestingTests", "Schedules",
]

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
        .testTarget(
            name: "JobKitTests",
            dependencies: ["JobKit", "JobKitTesting"],
            path: "Tests",
            exclude: others + ["Endurance/Support/JobJournal", "JobJournalTests"],
            sources: ["Endurance/Support/JobKit", "JobKitTests"]
        ),
        .testTarget(
            name: "JobJournalTests",
            dependencies: ["JobJournal", "JobKitTesting"],
            path: "Tests",
            exclude: others + ["Endurance/Support/JobKit", "JobKitTests"],
            sources: ["Endurance/Support/JobJournal", "JobJournalTests"]
        ),
        .testTarget(name: "JobKitTestingTests", dependencies: ["JobKit", "JobKitTesting"]),
    ],
    swiftLanguageModes: [.v6]
)
