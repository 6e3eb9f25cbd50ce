import ArgumentParser

/// Predicts how one job uses more cores than this machine has.
struct Scaling: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Model what one job gets out of 2, 16 and 64 cores, from its serial part here."
    )

    @Option(help: "How many tasks a round has.")
    var size = 50_000

    @Option(help: "How many rounds the median is of.")
    var rounds = 5

    @Flag(help: "Write the tables as Markdown.")
    var markdown = false

    func validate() throws {
        guard size >= 1_000 else { throw ValidationError("--size must be at least 1000") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be at least 1") }
    }

    func run() throws {
        print(MachineDescription.text)
        guard let model = SerialPart.model(size: size, rounds: rounds) else { return }
        print(
            "a task: \(NumberText.grouped(model.serial)) ns serial, "
                + "\(NumberText.grouped(model.parallel)) ns on any core\n"
        )
        print(markdown ? model.table.markdown : model.table.text)
    }
}
