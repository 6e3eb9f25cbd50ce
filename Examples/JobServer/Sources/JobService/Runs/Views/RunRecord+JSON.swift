import JobStore

extension RunRecord {
    /// The run's fields as JSON members, without the braces.
    var jsonMembers: String {
        """
        "id":\(id),"kind":\(JSONText.quoted(kind)),"title":\(JSONText.quoted(title)),\
        "state":"\(state.rawValue)","progress":\(progress),"tasksTracked":\(tasksTracked),\
        "tasksFinished":\(tasksFinished),"tasksFailed":\(tasksFailed),"attempt":\(attempt),\
        "previousID":\(JSONText.number(previousID)),"submittedAt":\(submittedAt),\
        "startedAt":\(JSONText.number(startedAt)),"finishedAt":\(JSONText.number(finishedAt)),\
        "error":\(JSONText.quoted(error)),"priority":\(priority),\
        "runAt":\(JSONText.number(runAt)),\
        "cancelRequestedAt":\(JSONText.number(cancelRequestedAt)),\
        "knownSteps":\(JSONText.number(knownSteps.map { Int64($0) })),\
        "failures":\(JSONText.array(failures.map(\.json)))
        """
    }

    /// The run as JSON.
    var json: String { "{" + jsonMembers + "}" }
}

extension RunFailure {
    /// The failure as JSON.
    var json: String {
        JSONText.object(["name": JSONText.quoted(name), "error": JSONText.quoted(error)])
    }
}
