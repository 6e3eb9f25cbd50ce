import Foundation
import JobKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads movies one after another, regardless of how many are waiting.
final class MovieUploads: Sendable {
    /// The server has refused the movie.
    struct Refusal: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the server returned \(status)" }
    }

    private let folder: URL
    private let queue: TaskQueue
    private let session = URLSession(configuration: .ephemeral)
    private let show: @Sendable (String) -> Void

    /// Creates a list of uploads without movies.
    ///
    /// - Parameters:
    ///   - folder: The URL for uploads.
    ///   - limit: How many uploads run at a time.
    ///   - show: Called when an upload starts, succeeds or fails.
    init(to folder: URL, limit: Int = 1, show: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        self.show = show
        queue = TaskQueue(name: "Uploads", maxConcurrentOperationCount: limit)
    }

    /// Adds a movie and returns at once.
    ///
    /// The upload starts after the earlier ones.
    func add(_ name: String, _ movie: Data) {
        queue.addAsynchronousOperation { [self] done in
            show("\(name) Start")
            uploadInBackground(name, movie) { [self] error in
                show(error.map { "\(name) Failed: \($0)" } ?? "\(name) Done")
                // Only now may the next upload start, even after a failure.
                done(error)
            }
        }
    }

    /// Returns when all uploads that were added have ended.
    ///
    /// The block of a barrier runs after all earlier operations.
    func finish() async {
        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        session.finishTasksAndInvalidate()
    }

    /// Returns before the upload has ended, so a serial dispatch queue would already start the next
    /// one.
    private func uploadInBackground(
        _ name: String,
        _ movie: Data,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        var request = URLRequest(url: folder.appending(path: name))
        request.httpMethod = "PUT"
        session.uploadTask(with: request, from: movie) { _, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            completion(error ?? (status == 201 ? nil : Refusal(status: status)))
        }
        .resume()
    }
}
