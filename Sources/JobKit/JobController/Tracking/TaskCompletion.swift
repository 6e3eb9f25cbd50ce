import Foundation

/// The completion of a task, if it has its own.
struct TaskCompletion<Child: Operation> {
    var body: ((Child) -> Void)?

    /// The same closure, typed to take any operation.
    ///
    /// It is only called with the task that it was made for. The cast is valid because every
    /// closure that takes a reference takes it in the same way. A wrapper closure would need
    /// another allocation for each task, and a record class for each class of tasks would need a
    /// type lookup for each task.
    var erased: TaskCompletion<Operation> {
        unsafeBitCast(self, to: TaskCompletion<Operation>.self)
    }
}
