// swift-tools-version: 6.2
import PackageDescription

let jobKit = Target.Dependency.product(name: "JobKit", package: "job-kit")
let jobJournal = Target.Dependency.product(name: "JobJournal", package: "job-kit")
let jobKitTesting = Target.Dependency.product(name: "JobKitTesting", package: "job-kit")
// Dependencies of the command that the libraries do not need.
let command = TargetDependencyCondition.when(traits: ["Command"])
let remoteJobs = ["RemoteJobs", "RemoteDuplicates"]
    .map { Target.Dependency.product(name: $0, package: "RemoteJobs", condition: command) }
let findDuplicates = Target.Dependency.product(
    name: "FindDuplicates",
    package: "job-kit-examples",
    condition: command
)
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: command
)
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle"
)
let observability = ["JobObservability", "PrometheusText"]
    .map { Target.Dependency.product(name: $0, package: "Observability") }
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let nio = ["NIOCore", "NIOHTTP1"]
    .map { Target.Dependency.product(name: $0, package: "swift-nio") }
let nioTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")

// A file sees only members of modules that it imports, because GRDB extends `String` and
// `joined()`.
let strict: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "job-server",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "JobStore", targets: ["JobStore"]),
        .library(name: "JobService", targets: ["JobService"]),
        .executable(name: "job-server", targets: ["job-server"]),
    ],
    // If a dependent package uses only the libraries, it names no trait. SwiftPM then resolves no
    // dependency of the command.
    traits: [
        .default(enabledTraits: ["Command"]),
        .trait(name: "Command", description: "Builds the command with its kinds of job."),
    ],
    dependencies: [
        .package(name: "job-kit", path: "../.."),
        .package(name: "job-kit-examples", path: ".."),
        .package(name: "RemoteJobs", path: "../RemoteJobs"),
        .package(name: "Observability", path: "Observability"),
        // Without its traits, Hummingbird needs neither swift-configuration nor the full
        // Foundation.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.28.1",
            traits: []
        ),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "JobStore",
            dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .target(
            name: "JobService",
            dependencies: [
                "JobStore", jobKit, jobJournal, hummingbird, hummingbirdCore, lifecycle, logging,
                metrics,
                tracing,
                .product(name: "HTTPTypes", package: "swift-http-types"), nioTypes,
            ] + nio + observability,
            resources: [.embedInCode("Page/Resources")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "job-server",
            dependencies: [
                "JobService", "JobStore", jobKit, logging, findDuplicates, argumentParser,
            ] + observability + remoteJobs,
            swiftSettings: strict
        ),
        .testTarget(
            name: "JobStoreTests",
            dependencies: ["JobStore", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JobServiceTests",
            dependencies: [
                "JobService", "JobStore", jobKit, jobJournal, jobKitTesting, logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + observability,
            swiftSettings: strict
        ),
        .testTarget(
            name: "JobServerTests",
            dependencies: [
                "job-server", "JobService", "JobStore", jobKit, jobKitTesting, findDuplicates,
                .product(name: "HTTPTypes", package: "swift-http-types"), hummingbirdCore,
            ] + remoteJobs + nio + observability,
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
