import Foundation

/// Launches an app that shows the files of a folder, and prints the launch's timeline.
@main
struct LaunchTimelineExample {
    @MainActor static func main() async {
        let path = CommandLine.arguments.dropFirst().first ?? "/usr/share/zoneinfo"
        let launch = AppLaunch(folder: URL(filePath: path)) { print($0) }
        await launch.run(user: "you")
    }
}
