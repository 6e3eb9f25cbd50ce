// swift-tools-version: 6.2
import PackageDescription

// The libraries of job-kit, compiled from the same files, on the threads of a scheduler. Each module
// has the links `Copy` to the sources, and types that take the place of locks, atomics and queues.
let package = Package(
    name: "job-kit-schedules",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "RuntimeHooks"),
        // Optimized in debug builds too, because it runs at each lock and atomic.
        .target(
            name: "Scheduler",
            dependencies: ["RuntimeHooks"],
            swiftSettings: [.unsafeFlags(["-O"])]
        ),
        .target(
            name: "JobKit",
            dependencies: ["Scheduler"],
            exclude: ["Copy/Internal/Guarded.swift", "Copy/Internal/Backoff.swift"],
            swiftSettings: [.define("SCHEDULES")]
        ),
        .target(
            name: "JobJournal",
            dependencies: ["JobKit", "Scheduler"],
            swiftSettings: [.define("SCHEDULES")]
        ),
        .target(
            name: "JobKitTesting",
            dependencies: ["JobJournal", "JobKit", "Scheduler"],
            swiftSettings: [.define("SCHEDULES")]
        ),
        .testTarget(
            name: "SchedulerTests",
            dependencies: ["Scheduler"],
            path: "Tests/Scheduler",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "Programs",
            dependencies: ["JobJournal", "JobKit", "JobKitTesting", "Scheduler"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
