/// What is said at a worker's start of the broker's setting `consumer_timeout`.
///
/// AMQP tells no client its value. So a worker says what it knows: RabbitMQ's default, and how long
/// its tasks take, if it was told.
enum ConsumerTimeout {
    /// RabbitMQ's own value, where its configuration has none.
    static let byDefault = Duration.seconds(30 * 60)

    /// Whether tasks take longer than a broker allows whose configuration has no value.
    static func isWarning(_ longestTask: Duration?) -> Bool {
        longestTask.map { $0 >= byDefault } ?? false
    }

    /// The line for a broker.
    ///
    /// - Parameters:
    ///   - longestTask: How long a task takes at most; nil if nobody has said it.
    ///   - broker: The broker's address.
    /// - Returns: What is said.
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
