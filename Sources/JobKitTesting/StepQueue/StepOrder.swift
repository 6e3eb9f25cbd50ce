import Foundation

/// An order of a job's steps, from ``StepQueue/runEveryOrder(limit:patience:_:check:)``.
///
/// For each step at which several were possible, the order contains the index of the one that was
/// taken. After its end, the first one is always taken. As text, the order is these numbers with
/// dots between them, such as `"2.0.1"`.
public struct StepOrder: Hashable, Sendable, LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The index of each step that was taken while several were possible.
    public let choices: [Int]

    /// Creates an order from its choices.
    public init(choices: [Int]) {
        let last = choices.lastIndex { $0 != 0 }
        self.choices = Array(choices[..<(last.map { $0 + 1 } ?? 0)])
    }

    /// Reads an order, or returns nil if the text is not numbers with dots between them.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard description.isEmpty || numbers.count == parts.count else { return nil }
        self.init(choices: numbers)
    }

    /// Creates an order from a literal, and traps if the text is not an order.
    public init(stringLiteral value: String) {
        guard let order = StepOrder(value) else {
            preconditionFailure("JobKitTesting: \"\(value)\" is not a StepOrder.")
        }
        self = order
    }

    /// The choices, with dots between them.
    public var description: String { choices.map(String.init).joined(separator: ".") }
}

/// How many orders of a job's steps were run.
public struct StepOrders: Hashable, Sendable, CustomStringConvertible {
    /// The number of orders.
    public let count: Int
    /// Whether the job has no other order.
    public let isComplete: Bool

    /// The result as text: `all 1,260 orders`, or `10,000 of more, by PCT`.
    public var description: String {
        let digits = count.formatted(.number.locale(Locale(identifier: "en_US")))
        return isComplete ? "all \(digits) orders" : "\(digits) of more, by PCT"
    }
}

/// The error of ``StepQueue/runEveryOrder(limit:patience:_:check:)`` if an order fails.
public struct StepOrderError: LocalizedError, CustomStringConvertible {
    /// The job's name, or the name of its type.
    public let name: String
    /// The order, for ``StepQueue/run(_:order:patience:)``.
    public let order: StepOrder
    /// The names of the operations that were started or continued, in this order.
    public let steps: [String]
    /// The error of the job or of the check.
    public let underlyingError: any Error

    /// Creates the error of an order that fails.
    public init(name: String, order: StepOrder, steps: [String], underlyingError: any Error) {
        (self.name, self.order, self.steps) = (name, order, steps)
        self.underlyingError = underlyingError
    }

    /// One sentence that names the job, the order and its steps.
    public var description: String {
        "\(name) fails in the order \"\(order)\" (\(steps.joined(separator: ", "))): "
            + "\(underlyingError)"
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// The error of ``StepQueue/runEveryOrder(limit:patience:_:check:)`` if a job does not repeat.
///
/// The same choices have led to other steps. Events of other threads, random numbers, and the order
/// of a `Set` or `Dictionary` cause this.
public struct StepRepeatError: LocalizedError, Hashable, CustomStringConvertible {
    /// The job's name, or the name of its type.
    public let name: String
    /// The number of the first step that differs, from 1.
    public let step: Int
    /// The step in both runs.
    ///
    /// Nil if a run had no such step.
    public let names: [String?]
    /// The step that another thread made possible, if there is one.
    public let outsideStep: String?

    /// Creates the error of a job that does not repeat.
    public init(name: String, step: Int, names: [String?], outsideStep: String?) {
        (self.name, self.step, self.names, self.outsideStep) = (name, step, names, outsideStep)
    }

    /// Compares two runs of the same choices.
    ///
    /// Nil if they have the same steps.
    init?(name: String, _ left: ArraySlice<StepTrace>, _ right: ArraySlice<StepTrace>) {
        let isSame = zip(left, right).map { $0.name == $1.name && $0.count == $1.count }
        let end = left.count == right.count ? nil : isSame.count
        guard let index = isSame.firstIndex(of: false) ?? end else { return nil }
        let names = [left, right].map { index < $0.count ? $0[index].name : nil }
        let steps = left.prefix(index + 1) + right.prefix(index + 1)
        let outside = steps.compactMap(\.outside).first
        self.init(name: name, step: index + 1, names: names, outsideStep: outside)
    }

    /// One sentence that names the job, the step that differs, and the one from outside.
    public var description: String {
        let both = names.map { $0.map { "\"\($0)\"" } ?? "nothing" }.joined(separator: " or ")
        let cause = outsideStep.map { ", after \"\($0)\" came from another thread" } ?? ""
        return "\(name) does not repeat: step \(step) is \(both)\(cause)."
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
