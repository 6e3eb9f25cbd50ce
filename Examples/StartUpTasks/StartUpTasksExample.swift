/// Starts an app whose configuration is the file named on the command line, if there is one.
@main
struct StartUpTasksExample {
    static func main() async {
        let path = CommandLine.arguments.dropFirst().first ?? "configuration.json"
        await AppLaunch(configuration: path) { print($0) }.run()
    }
}
