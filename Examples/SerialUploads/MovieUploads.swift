import Foundation
import JobKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads movies one after another, however many are waiting.
final class MovieUploads: Sendable {
    /// The server refused the movie.
    struct Refusal: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the server answered \(status)" }
    }

    private let folder: URL
    private let queue: TaskQueue
    private let session = URLSession(configuration: .ephemeral)
    private let show: @Sendable (String) -> Void

    /// - Parameters:
    ///   - folder: Where the server takes movies.
    ///   - width: How many uploads run at a time.
    ///   - show: Called when an upload starts, is done or has failed.
    init(to folder: URL, width: Int = 1, show: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        self.show = show
        queue = TaskQueue(name: "Uploads", maxConcurrentOperationCount: width)
    }

    /// Returns at once; the upload starts when the earlier ones have ended.
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

    /// Returns when all uploads have ended.
    func finish() async {
        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        session.finishTasksAndInvalidate()
    }

    /// Returns before it is done: a serial dispatch queue would start the next upload.
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
