// swift-tools-version: 6.2
import PackageDescription

// The tests that take minutes. The test targets of job-kit compile the same files of `Support`.
// Therefore, job-kit has no product that exists for tests alone.
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
            exclude: [
                "README.md", "Support/JobJournal", "Tests/JournalCrashJob",
                "Tests/JournalEnduranceTests",
            ],
            sources: ["Support/JobKit", "Tests/JobKitEnduranceTests"],
            swiftSettings: [.define("ENDURANCE")]
        ),
        .executableTarget(
            name: "journal-crash-job",
            dependencies: [.product(name: "JobJournal", package: "job-kit")],
            path: "Tests/JournalCrashJob"
        ),
        .testTarget(
            name: "JournalEnduranceTests",
            dependencies: [
                .product(name: "JobJournal", package: "job-kit"),
                .product(name: "JobKitTesting", package: "job-kit"),
                "journal-crash-job",
            ],
            path: ".",
            exclude: [
                "README.md", "Support/JobKit", "Tests/JobKitEnduranceTests",
                "Tests/JournalCrashJob",
            ],
            sources: ["Support/JobJournal", "Tests/JournalEnduranceTests"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
