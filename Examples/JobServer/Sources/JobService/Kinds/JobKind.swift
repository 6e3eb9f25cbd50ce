import JobKit

/// A kind of job that people can submit: its name, its parameters, and how to make a job of them.
///
/// ```swift
/// struct ThumbnailsKind: JobKind {
///     struct Parameters: Codable, Sendable { let album: String }
///     let name = "thumbnails"
///     let fields = [ParameterField("album", "Album")]
///
///     func title(of parameters: Parameters) -> String { "Thumbnails of \(parameters.album)" }
///     func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob {
///         PreparedJob(ThumbnailsJob(album: parameters.album, queue: environment.queue))
///     }
/// }
/// ```
///
/// > Thread: The methods are called on any thread, not on Swift's cooperative ones, so they may read
/// > files. They must not wait for a person.
public protocol JobKind: Sendable {
    /// What a client sends; decoded by its property names, which should be those of ``fields``.
    associatedtype Parameters: Codable & Sendable

    /// The name that clients submit, one for each kind; it is a metric's label.
    var name: String { get }
    /// The parameters as the page's form shows them, in order; others are refused.
    var fields: [ParameterField] { get }
    /// Whether a run that a crash ended may be repeated without asking; `false` unless given.
    var runsAgainAfterCrash: Bool { get }
    /// How long a run may take; it fails then. Nil, as long as the server lets it, unless given.
    var timeLimit: Duration? { get }
    /// How often a run that failed is tried, and with which delays; once unless given.
    var attempts: RunAttempts { get }
    /// How many of a run's tasks may run at a time; nil, the run's share of the server's places, unless given.
    var width: Int? { get }
    /// How urgent a run is that was submitted without a priority; 0 unless given.
    var priority: Int { get }

    /// Refuses what cannot be run, and settles what was sent; takes everything as it is unless given.
    ///
    /// Called when a run is submitted, and again before it starts, which may be days later.
    ///
    /// - Parameters:
    ///   - parameters: The decoded parameters.
    ///   - environment: What the server allows.
    /// - Returns: The parameters to keep and to show.
    /// - Throws: ``InvalidParameter``.
    func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters

    /// What people call a run with these parameters, in one line.
    func title(of parameters: Parameters) -> String

    /// Makes the job; the server starts it, once for each attempt.
    ///
    /// - Parameters:
    ///   - parameters: Parameters that were checked.
    ///   - environment: What the job runs on.
    /// - Returns: The job, with what reads its result.
    /// - Throws: An error whose description the run keeps: it has failed.
    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob
}

extension JobKind {
    /// A run that a crash ended is not repeated.
    public var runsAgainAfterCrash: Bool { false }

    /// A run takes as long as the server lets it.
    public var timeLimit: Duration? { nil }
    /// A run that failed is not tried again.
    public var attempts: RunAttempts { .once }
    /// A run has its share of the server's places.
    public var width: Int? { nil }
    /// Runs are neither more nor less urgent than others.
    public var priority: Int { 0 }

    /// Takes all parameters as they are.
    public func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters
    {
        parameters
    }
}
