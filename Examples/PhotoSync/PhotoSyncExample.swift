import ArgumentParser
import Foundation
import JobJournal
import JobKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads the photos of a folder, and continues after the process was killed.
@main
struct PhotoSyncExample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo-sync",
        subcommands: [Serve.self, Sync.self],
        defaultSubcommand: Sync.self
    )

    struct Serve: AsyncParsableCommand {
        func run() async throws { try await PhotoServer(port: 8092).run() }
    }

    struct Sync: AsyncParsableCommand {
        @Option(help: "The folder of the photos. Its subfolders are albums.") var photos: String
        @Option(help: "The folder of the outbox.") var outbox: String
        @Option(help: "The server.") var server = "http://127.0.0.1:8092"
        @Flag(help: "Print the photos that wait, and the reason.") var explain = false

        func run() async throws {
            let sync = try PhotoSync(
                URL(filePath: photos),
                outbox: URL(filePath: outbox),
                server: URL(string: server) ?? URL(filePath: "/"),
                isSuspended: explain
            )
            if explain { return print(sync.outbox.explain()) }
            let waiting = sync.outbox.entries(limit: .max).count
            try sync.addNew()
            let entries = sync.outbox.entries(limit: .max)
            print("\(waiting) photos wait from the last time, \(entries.count) wait now")
            for entry in entries { try await sync.outbox.waitForFinish(of: entry.id) }
            await sync.outbox.close()
            print("all photos are uploaded")
        }
    }
}

/// A photo to upload.
struct Photo: Codable, Sendable { let path: String }

/// Adds each photo to an outbox, which uploads the photos of an album in order.
struct PhotoSync {
    struct Busy: Error { let seconds: Int }
    struct Refused: Error { let status: Int }
    let outbox: JobOutbox<Photo>
    private let photos: URL

    init(_ photos: URL, outbox folder: URL, server: URL, isSuspended: Bool = false) throws {
        self.photos = photos
        var configuration = OutboxConfiguration<Photo>()
        configuration.suspendedFor = isSuspended ? ["explain"] : []
        configuration.retryPolicy = .exponential(attempts: 16, initialDelay: .milliseconds(200))
        configuration.onFailure = { error, _, _ in
            guard let busy = error as? Busy else { return .standard(for: error) }
            return .retryUncharged(after: .seconds(busy.seconds))
        }
        outbox = try JobOutbox(at: folder, name: "photos", configuration: configuration) {
            photo,
            attempt in
            let file = photos.appending(path: photo.path)
            // An earlier attempt has uploaded it without a record.
            guard let data = try? Data(contentsOf: file) else { return }
            try await PhotoSync.upload(data, to: server, attempt.idempotencyKey)
            try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("uploaded"))
        }
    }

    /// Adds the photos that are not in the outbox yet.
    func addNew() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: photos.path).sorted()
        try outbox.add(
            contentsOf: paths.filter { $0.hasSuffix(".jpg") }.map { Photo(path: $0) },
            key: { ($0.path as NSString).deletingLastPathComponent },
            deduplicationID: { $0.path },
            duplicates: .join
        )
    }

    private static func upload(_ data: Data, to server: URL, _ key: String) async throws {
        var request = URLRequest(url: server.appending(path: "photos"))
        request.httpMethod = "POST"
        request.httpBody = data
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        let (_, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse, response.statusCode != 200 else {
            return
        }
        let after = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        throw after.map { Busy(seconds: $0) as any Error } ?? Refused(status: response.statusCode)
    }
}
