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
        "error":\(JSONText.quoted(error))
        """
    }

    /// The run as JSON.
    var json: String { "{" + jsonMembers + "}" }
}
