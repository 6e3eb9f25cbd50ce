import JobKit

/// A job with a fault that only some orders of its steps show.
///
/// The job has `chains` chains of `length` steps. It starts the next step of a chain when one has
/// finished, and fails at the end if its steps came in an order that it does not expect.
final class PlantedOrderFault: JobController, @unchecked Sendable {
    /// A step of a chain, both numbered from 0.
    struct Step: Equatable {
        let chain: Int, number: Int
    }

    struct Wrong: Error {}

    struct Kind: Sendable {
        let name: String
        let chains: Int, length: Int
        let isWrong: @Sendable ([Step]) -> Bool
    }

    private let kind: Kind
    private var steps: [Step] = []

    init(_ kind: Kind, queue: any OperationScheduling) {
        self.kind = kind
        super.init(name: kind.name, queue: queue)
    }

    override func main() { for chain in 0..<kind.chains { start(Step(chain: chain, number: 0)) } }

    private func start(_ step: Step) {
        let task = ConcurrentOperation()
        task.name = "\(step.chain).\(step.number)"
        trackAndQueue(task) { [unowned self] _ in
            steps.append(step)
            let next = Step(chain: step.chain, number: step.number + 1)
            if next.number < kind.length { start(next) }
        }
    }

    override func allTasksFinished() { if kind.isWrong(steps) { finish(with: Wrong()) } }

    /// Ten kinds of faults, each in four sizes.
    static let all: [Kind] = [2, 3, 4, 5].flatMap { oneStep($0) + chains($0) }

    private static func oneStep(_ size: Int) -> [Kind] {
        var kinds: [Kind] = []
        kinds.append(
            Kind("the slowest of \(size) answers is taken for the first", size) { steps in
                steps.last?.chain == 0
            }
        )
        kinds.append(
            Kind("the last of \(size) requests overtakes the first", size) { steps in
                steps.position(size - 1) < steps.position(0)
            }
        )
        kinds.append(
            Kind("\(size) parts arrive in reverse", size) { steps in
                steps.map(\.chain) == Array((0..<size).reversed())
            }
        )
        kinds.append(
            Kind("a file is closed between two of \(size) writes", size + 1) { steps in
                let close = steps.position(size)
                return steps.position(0) < close && close < steps.position(1)
            }
        )
        kinds.append(
            Kind("three of \(size + 2) events come in one order", size + 2) { steps in
                let first = steps.position(0)
                return steps.position(2) < first && first < steps.position(1)
            }
        )
        return kinds
    }

    private static func chains(_ size: Int) -> [Kind] {
        var kinds: [Kind] = []
        kinds.append(
            Kind("\(size) caches are filled before one is checked", size, length: 2) { steps in
                steps.prefix(size).allSatisfy { $0.number == 0 }
            }
        )
        kinds.append(
            Kind("an update among \(size) is lost between a read and a write", size, length: 2) {
                steps in
                let write = steps.position(1, 1)
                return steps.position(0) <= write && write < steps.position(0, 1)
            }
        )
        kinds.append(
            Kind("a whole chain of \(size) steps passes one step", 2, length: size) { steps in
                steps.prefix(size).allSatisfy { $0.chain == 1 }
            }
        )
        kinds.append(
            Kind("two chains of \(size) steps alternate", 2, length: size) { steps in
                zip(steps, steps.dropFirst()).allSatisfy { $0.chain != $1.chain }
            }
        )
        kinds.append(
            Kind("a token of \(size + 1) expires before its use", 2, length: size + 1) { steps in
                let expiry = steps.position(1, size)
                return steps.position(0, size - 1) <= expiry && expiry < steps.position(0, size)
            }
        )
        return kinds
    }
}

extension PlantedOrderFault.Kind {
    init(
        _ name: String,
        _ chains: Int,
        length: Int = 1,
        _ isWrong: @escaping @Sendable ([PlantedOrderFault.Step]) -> Bool
    ) {
        self.init(name: name, chains: chains, length: length, isWrong: isWrong)
    }
}

extension [PlantedOrderFault.Step] {
    func position(_ chain: Int, _ number: Int = 0) -> Int {
        firstIndex(of: Element(chain: chain, number: number)) ?? count
    }
}
