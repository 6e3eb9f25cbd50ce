import JobKit
import JobStore

extension RunLifeStateMachine.End {
    /// The state that is written down.
    var state: RunState {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        case .interrupted: .interrupted
        }
    }
}

extension RunLifeStateMachine.Outcome {
    /// What the machine is told of a job's outcome.
    init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
