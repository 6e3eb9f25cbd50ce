/// A task-local value that a job's context binds.
enum Trace {
    @TaskLocal static var id = "none"
}
