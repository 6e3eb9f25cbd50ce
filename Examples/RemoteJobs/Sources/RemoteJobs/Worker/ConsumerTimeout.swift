/// The log line about the broker's setting `consumer_timeout` at a worker's start.
///
/// AMQP gives clients no access to the value. Therefore, the line contains RabbitMQ's default and
/// the longest time of the worker's tasks, if it is known.
enum ConsumerTimeout {
    /// RabbitMQ's value if its configuration sets none.
    static let byDefault = Duration.seconds(30 * 60)

    /// Whether tasks may exceed RabbitMQ's default.
    static func isWarning(_ longestTask: Duration?) -> Bool {
        longestTask.map { $0 >= byDefault } ?? false
    }

    /// Creates the line for a broker.
    ///
    /// - Parameters:
    ///   - longestTask: The longest time of a task, or nil if unknown.
    ///   - broker: The broker's address.
    /// - Returns: The line.
    static func words(_ longestTask: Duration?, at broker: String) -> String {
        let setting = "consumer_timeout of the broker at \(broker)"
        guard let longestTask else {
            return """
                a task may run for as long as the \(setting) allows: 30 minutes, unless \
                rabbitmq.conf sets it
                """
        }
        let time = "tasks run for up to \(longestTask.components.seconds) s"
        guard isWarning(longestTask) else {
            return """
                \(time), and the \(setting) must be longer: it is 30 minutes, unless \
                rabbitmq.conf sets it
                """
        }
        return """
            \(time), which is longer than the 30 minutes that RabbitMQ allows by default: \
            rabbitmq.conf must set the \(setting), which a worker cannot read
            """
    }
}
