import JobKit
import JobStore

extension RunLifeStateMachine.End {
    /// The state to save.
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
    /// Converts a job's outcome for the state machine.
    init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
