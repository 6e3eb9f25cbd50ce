// swift-tools-version: 6.2
import PackageDescription

// The tests that take minutes. `Support` has what they share with the tests of the package itself,
// which compile the same files: no product of the package exists for tests alone.
let package = Package(
    name: "job-kit-endurance",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "job-kit", path: "../..")],
    targets: [
        .testTarget(
            name: "JobKitEnduranceTests",
            dependencies: [
                .product(name: "JobKit", package: "job-kit"),
                .product(name: "JobKitTesting", package: "job-kit"),
            ],
            path: ".",
            exclude: ["README.md"],
            sources: ["JobKitEnduranceTests", "Support/JobKit"]
        ),
        .executableTarget(
            name: "journal-crash-job",
            dependencies: [.product(name: "JobJournal", package: "job-kit")],
            path: "JournalCrashJob"
        ),
        .testTarget(
            name: "JournalEnduranceTests",
            dependencies: [
                .product(name: "JobJournal", package: "job-kit"),
                .product(name: "JobKitTesting", package: "job-kit"),
                "journal-crash-job",
            ],
            path: ".",
            exclude: ["README.md"],
            sources: ["JournalEnduranceTests", "Support/JobJournal"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
