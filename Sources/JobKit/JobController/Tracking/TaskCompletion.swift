import Foundation

/// The closure to which a task is delivered, if it has one of its own.
struct TaskCompletion<Child: Operation> {
    var body: ((Child) -> Void)?

    /// The closure for a task of any class, which is the one it was made for.
    ///
    /// Every closure that takes a reference takes it the same way. To wrap it in one that takes any
    /// operation would allocate once more for each task, and a class of records for each class of
    /// tasks would be looked up for each task.
    @inline(__always)
    var erased: TaskCompletion<Operation> {
        unsafeBitCast(self, to: TaskCompletion<Operation>.self)
    }
}
