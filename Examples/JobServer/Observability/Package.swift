// swift-tools-version: 6.2
import PackageDescription

let jobKit = Target.Dependency.product(name: "JobKit", package: "job-kit")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

// A file sees only members of modules that it imports.
let strict: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "job-observability",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "JobObservability", targets: ["JobObservability"]),
        .library(name: "PrometheusText", targets: ["PrometheusText"]),
    ],
    dependencies: [
        .package(name: "job-kit", path: "../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(name: "PrometheusText", dependencies: [coreMetrics], swiftSettings: strict),
        .target(
            name: "JobObservability",
            dependencies: [jobKit, logging, metrics, tracing],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PrometheusTextTests",
            dependencies: ["PrometheusText", coreMetrics],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JobObservabilityTests",
            dependencies: [
                "JobObservability", "PrometheusText", jobKit, logging, metrics, tracing,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
