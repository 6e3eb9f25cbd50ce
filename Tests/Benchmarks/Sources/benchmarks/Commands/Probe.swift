import ArgumentParser

/// Measures this process's memory.
///
/// The comparison starts it as a child process.
struct Probe: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the memory of this process alone, and print it in bytes."
    )

    @Argument(help: "What to measure.")
    var probe: MemoryProbe

    @Option(help: "How many tasks or steps.")
    var size: Int

    func run() {
        print(probe.measure(size: size))
    }
}

extension MemoryProbe: ExpressibleByArgument {}
