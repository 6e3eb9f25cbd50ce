import Foundation

/// The closure to which a task is delivered, if it has one of its own.
struct TaskCompletion<Child: Operation> {
    var body: ((Child) -> Void)?

    /// The same closure, typed to take any operation; it is only called with the task that it was
    /// made for.
    ///
    /// Every closure that takes a reference takes it the same way. To wrap it in one that takes any
    /// operation would allocate once more for each task, and a class of records for each class of
    /// tasks would be looked up for each task.
    @inline(__always)
    var erased: TaskCompletion<Operation> {
        unsafeBitCast(self, to: TaskCompletion<Operation>.self)
    }
}
