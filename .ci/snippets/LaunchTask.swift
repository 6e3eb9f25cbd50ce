let workflow = TaskWorkflow(name: "Launch")
enum Database {
    static func open() throws {}
}
