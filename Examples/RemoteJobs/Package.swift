// swift-tools-version: 6.2
import PackageDescription

let jobKit = Target.Dependency.product(name: "JobKit", package: "job-kit")
let findDuplicates = Target.Dependency.product(
    name: "FindDuplicates",
    package: "job-kit-examples",
    condition: .when(traits: ["Duplicates"])
)
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: .when(traits: ["Duplicates"])
)
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

let package = Package(
    name: "RemoteJobs",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "RemoteJobs", targets: ["RemoteJobs"]),
        .library(name: "RemoteDuplicates", targets: ["RemoteDuplicates"]),
        .executable(name: "duplicates-worker", targets: ["duplicates-worker"]),
        .executable(name: "find-duplicates-on-hosts", targets: ["find-duplicates-on-hosts"]),
    ],
    // If a dependent package uses only the library, it names no trait. SwiftPM then resolves no
    // dependency of the example.
    traits: [
        .default(enabledTraits: ["Duplicates"]),
        .trait(
            name: "Duplicates",
            description: "Builds the example that finds duplicates on hosts, and its commands."
        ),
    ],
    dependencies: [
        .package(name: "job-kit", path: "../.."),
        .package(name: "job-kit-examples", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "AMQP", dependencies: [nioCore, nioPosix, nioSSL]),
        .target(
            name: "RemoteJobs",
            dependencies: ["AMQP", jobKit, nioCore, nioPosix, logging]
        ),
        .target(
            name: "RemoteDuplicates",
            dependencies: ["RemoteJobs", findDuplicates, jobKit, logging]
        ),
        .executableTarget(
            name: "duplicates-worker",
            dependencies: [
                "RemoteDuplicates", "RemoteJobs", findDuplicates, argumentParser, logging,
            ]
        ),
        .executableTarget(
            name: "find-duplicates-on-hosts",
            dependencies: [
                "RemoteDuplicates", "RemoteJobs", findDuplicates, jobKit, argumentParser, logging,
            ]
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: ["RemoteJobs", "AMQP", jobKit, nioCore, nioPosix, argumentParser]
        ),
        .testTarget(
            name: "AMQPTests",
            dependencies: ["AMQP", nioCore, .product(name: "NIOEmbedded", package: "swift-nio")]
        ),
        .testTarget(
            name: "RemoteJobsTests",
            dependencies: [
                "RemoteJobs", "RemoteDuplicates", "AMQP", "benchmarks", "duplicates-worker",
                "find-duplicates-on-hosts", findDuplicates, jobKit, nioCore, nioPosix, logging,
                .product(name: "JobKitTesting", package: "job-kit"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
