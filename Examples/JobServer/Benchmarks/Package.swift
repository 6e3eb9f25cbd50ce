// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "job-server-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "job-kit", path: "../../.."),
        .package(name: "job-server", path: ".."),
        .package(name: "Observability", path: "../Observability"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "job-server-benchmarks",
            dependencies: [
                .product(name: "JobKit", package: "job-kit"),
                // Built together with this command, which starts it.
                .product(name: "job-server", package: "job-server"),
                .product(name: "JobStore", package: "job-server"),
                .product(name: "JobObservability", package: "Observability"),
                .product(name: "PrometheusText", package: "Observability"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
