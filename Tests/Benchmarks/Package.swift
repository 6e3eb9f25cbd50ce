// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "job-kit-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "job-kit", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                .product(name: "JobJournal", package: "job-kit"),
                .product(name: "JobKit", package: "job-kit"),
                .product(name: "JobKitTesting", package: "job-kit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(name: "BenchmarksTests", dependencies: ["benchmarks"]),
    ],
    swiftLanguageModes: [.v6]
)
