// swift-tools-version: 6.2
import PackageDescription

let jobKit = Target.Dependency.product(name: "JobKit", package: "job-kit")
let jobJournal = Target.Dependency.product(name: "JobJournal", package: "job-kit")
let jobKitTesting = Target.Dependency.product(name: "JobKitTesting", package: "job-kit")

let package = Package(
    name: "job-kit-examples",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FindDuplicates", targets: ["FindDuplicates"]),
        // The tests preload it into the command.
        .library(name: "FaultyFiles", type: .dynamic, targets: ["FaultyFiles"]),
        .executable(name: "find-duplicates", targets: ["find-duplicates"]),
        .executable(name: "launch-decisions", targets: ["launch-decisions"]),
        .executable(name: "launch-timeline", targets: ["launch-timeline"]),
        .executable(name: "photo-sync", targets: ["photo-sync"]),
        .executable(name: "resumable-import", targets: ["resumable-import"]),
        .executable(name: "serial-uploads", targets: ["serial-uploads"]),
        .executable(name: "start-up-tasks", targets: ["start-up-tasks"]),
        .executable(name: "sync-account", targets: ["sync-account"]),
    ],
    dependencies: [
        .package(name: "job-kit", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .target(name: "FindDuplicatesSystem", path: "FindDuplicates/System"),
        .target(
            name: "FindDuplicates",
            dependencies: ["FindDuplicatesSystem", jobKit],
            path: "FindDuplicates/Library"
        ),
        .executableTarget(
            name: "find-duplicates",
            dependencies: [
                "FindDuplicates", jobKit,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "FindDuplicates/Command"
        ),
        .executableTarget(
            name: "launch-decisions",
            dependencies: [jobKit],
            path: "LaunchDecisions",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "launch-timeline",
            dependencies: [jobKit],
            path: "LaunchTimeline",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "photo-sync",
            dependencies: [
                jobJournal, jobKit,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            path: "PhotoSync",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "resumable-import",
            dependencies: [
                jobJournal, jobKit,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            path: "ResumableImport",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "serial-uploads",
            dependencies: [jobKit, .product(name: "FlyingFox", package: "FlyingFox")],
            path: "SerialUploads",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "start-up-tasks",
            dependencies: [jobKit],
            path: "StartUpTasks",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "sync-account",
            dependencies: [jobKit],
            path: "SyncAccount",
            exclude: ["README.md"]
        ),
        .target(name: "FaultyFiles", path: "Tests/FaultyFiles"),
        .testTarget(
            name: "FindDuplicatesTests",
            dependencies: ["FindDuplicates", "find-duplicates", jobKit, jobKitTesting]
        ),
        .testTarget(
            name: "LaunchDecisionsTests",
            dependencies: ["launch-decisions", jobKit, jobKitTesting]
        ),
        .testTarget(
            name: "LaunchTimelineTests",
            dependencies: ["launch-timeline", jobKit, jobKitTesting]
        ),
        .testTarget(
            name: "PhotoSyncTests",
            dependencies: ["photo-sync", jobJournal]
        ),
        .testTarget(
            name: "ResumableImportTests",
            dependencies: ["resumable-import", jobJournal, jobKit, jobKitTesting]
        ),
        .testTarget(
            name: "SerialUploadsTests",
            dependencies: ["serial-uploads", jobKitTesting]
        ),
        .testTarget(
            name: "StartUpTasksTests",
            dependencies: ["start-up-tasks", jobKitTesting]
        ),
        .testTarget(
            name: "SyncAccountTests",
            dependencies: ["sync-account", jobKit]
        ),
    ],
    swiftLanguageModes: [.v6]
)
