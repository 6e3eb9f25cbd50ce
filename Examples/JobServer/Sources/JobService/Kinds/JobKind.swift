import JobKit

/// A kind of job that can be submitted: its name, its parameters, and the creation of the job.
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
/// > Thread: The methods are called on any thread except the Swift cooperative threads. Therefore,
/// > they may read files. They must not wait for a person.
public protocol JobKind: Sendable {
    /// The parameters from a client, decoded by their property names.
    ///
    /// The property names should be those of ``fields``.
    associatedtype Parameters: Codable & Sendable

    /// The unique name for submissions.
    ///
    /// It is also a label of metrics.
    var name: String { get }
    /// The parameters in the order of the page's form.
    ///
    /// Other parameters are rejected.
    var fields: [ParameterField] { get }
    /// Whether a run that ended in a crash may be repeated automatically.
    ///
    /// The default is `false`.
    var runsAgainAfterCrash: Bool { get }
    /// The longest time of a run, after which it fails.
    ///
    /// The default is nil, the server's limit.
    var timeLimit: Duration? { get }
    /// How often a failed run is tried, and with which delays.
    ///
    /// The default is a single attempt.
    var attempts: RunAttempts { get }
    /// How many tasks of a run may execute at a time.
    ///
    /// The default is nil, the run's share of the server's permits.
    var width: Int? { get }
    /// The priority of a run that was submitted without one.
    ///
    /// The default is 0.
    var priority: Int { get }

    /// Rejects invalid parameters and completes valid ones.
    ///
    /// The default accepts all unchanged. It is called when a run is submitted, and again before
    /// the run starts, which may be days later.
    ///
    /// - Parameters:
    ///   - parameters: The decoded parameters.
    ///   - environment: The permissions of the job.
    /// - Returns: The parameters to store and to show.
    /// - Throws: ``InvalidParameter``.
    func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters

    /// The title of a run with these parameters, in one line.
    func title(of parameters: Parameters) -> String

    /// Creates the job of one attempt.
    ///
    /// The server starts it.
    ///
    /// - Parameters:
    ///   - parameters: The checked parameters.
    ///   - environment: The resources of the job.
    /// - Returns: The job with the closure that reads its result.
    /// - Throws: An error that fails the run. The run keeps its description.
    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob
}

extension JobKind {
    /// A run that ended in a crash is not repeated.
    public var runsAgainAfterCrash: Bool { false }

    /// The time of a run is limited only by the server.
    public var timeLimit: Duration? { nil }
    /// A failed run is not tried again.
    public var attempts: RunAttempts { .once }
    /// A run has its share of the server's permits.
    public var width: Int? { nil }
    /// Runs have the normal priority.
    public var priority: Int { 0 }

    /// Accepts all parameters unchanged.
    public func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters
    {
        parameters
    }
}
