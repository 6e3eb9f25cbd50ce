/// Starts an app with the configuration file that the command line names, if any.
@main
struct StartUpTasksExample {
    static func main() async {
        let path = CommandLine.arguments.dropFirst().first ?? "configuration.json"
        await AppLaunch(configuration: path) { print($0) }.run()
    }
}
