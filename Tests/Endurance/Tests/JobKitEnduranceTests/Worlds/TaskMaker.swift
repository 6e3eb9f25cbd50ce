import Foundation
import JobKit
import JobKitTesting

/// Creates the tasks of a world, of every kind.
struct TaskMaker {
    let name: String
    let terms: WorldTerms
    let isHeld: (@Sendable () -> Bool)?

    func make(_ kind: TaskPlan.Kind) -> Operation {
        let task: Operation =
            switch kind {
            case .job, .sharing, .block: BlockOperation(block: plainBody)
            case .user: UserOperation(name)
            case .permitted: permitted()
            case .instant(let fails): worldTask(.instant, fails)
            case .later(let fails): worldTask(.later, fails)
            case .watched: worldTask(.watched)
            case .closure(let fails): closure(fails)
            case .async: asynchronous()
            case .callback: callback()
            case .callbackLost: CallbackOperation<Int> { _ in }
            case .deaf: deaf()
            case .limited(let limit, let isManual): limited(limit, isManual)
            case .retry(let successes, let queue): retry(successes, queue)
            case .finished(let isPlain): finished(isPlain)
            case .startedElsewhere(let isPlain): elsewhere(isPlain)
            }
        task.name = name
        return task
    }

    /// Foundation starts plain operations on an `OperationQueue`, without a context.
    private var plainBody: @Sendable () -> Void {
        { [gauges = terms.gauges] in
            for gauge in gauges { gauge.enter() }
            for gauge in gauges { gauge.leave() }
        }
    }

    private func worldTask(_ work: WorldTask.Work, _ fails: Bool = false) -> WorldTask {
        WorldTask(
            name,
            work,
            failure: fails ? SampleError("world") : nil,
            terms: terms,
            isHeld: isHeld
        )
    }

    private func closure(_ fails: Bool) -> Operation {
        ClosureOperation { [terms, name] in
            terms.checkPath(of: name)
            if fails { throw SampleError("closure") }
        }
    }

    private func asynchronous() -> Operation {
        AsyncOperation { [terms, name] in
            terms.checkPath(of: name)
            await Task.yield()
            terms.checkPath(of: name)
            return 1
        }
    }

    private func callback() -> Operation {
        CallbackOperation<Int> { done in DispatchQueue.global().async { done(.success(1)) } }
    }

    private func permitted() -> Operation {
        let task = PermittedOperation()
        DispatchQueue.global().async { task.permit() }
        return task
    }

    /// Returns a task that ignores its timeout.
    private func deaf() -> Operation {
        let task = worldTask(.deaf)
        task.maximumRuntime = .microseconds(200)
        task.maximumStopTime = .microseconds(100)
        return task
    }

    private func limited(_ limit: Int, _ isManual: Bool) -> Operation {
        let task = worldTask(.later)
        if isManual { task.clock = terms.world.clock }
        task.maximumRuntime = .microseconds(limit)
        return task
    }

    private func retry(_ successes: [Bool], _ queue: WorldQueue?) -> Operation {
        let policy = RetryPolicy { failed, _ in failed < successes.count ? .zero : nil }
        // Attempts run one after another, but next to others of their queue.
        let terms = WorldTerms(
            world: terms.world,
            gauges: [Gauge()],
            path: terms.path,
            dependencies: []
        )
        let name = name
        return RetryOperation(policy, on: queue.map { terms.world.queue($0) }) { number in
            WorldTask(
                "\(name) attempt \(number)",
                successes[0] ? .later : .instant,
                failure: successes[number - 1] ? nil : SampleError("attempt"),
                terms: terms
            )
        }
    }

    private func finished(_ isPlain: Bool) -> Operation {
        let task: Operation = isPlain ? BlockOperation {} : alone(.instant)
        task.start()
        return task
    }

    private func elsewhere(_ isPlain: Bool) -> Operation {
        isPlain ? BlockOperation {} : alone(.later)
    }

    /// Returns a task that no job of the world starts.
    private func alone(_ work: WorldTask.Work) -> WorldTask {
        let terms = WorldTerms(world: terms.world, gauges: [Gauge()], path: nil, dependencies: [])
        return WorldTask(name, work, terms: terms)
    }
}
