import Foundation

/// Uploads four movies to a local server.
///
/// The second one takes long, and the third one is too large. The argument of the command is the
/// number of simultaneous uploads. The default is 1.
@main
struct SerialUploadsExample {
    static func main() async throws {
        guard let limit = Int(CommandLine.arguments.dropFirst().first ?? "1"), limit > 0 else {
            return print("Usage: serial-uploads [LIMIT], a whole number from 1 on")
        }
        let server = try await MovieServer.start { name in
            if name == "interview" { try await Task.sleep(for: .milliseconds(500)) }
        }
        await upload(to: server.folder, limit: limit) { print($0) }
        await server.stop()
    }

    static func upload(
        to folder: URL,
        limit: Int = 1,
        show: @escaping @Sendable (String) -> Void
    ) async {
        let uploads = MovieUploads(to: folder, limit: limit, show: show)
        for (name, size) in [
            ("intro", 20_000), ("interview", 80_000), ("uncut", 200_000), ("credits", 40_000),
        ] {
            uploads.add(name, Data(count: size))
        }
        await uploads.finish()
    }
}
