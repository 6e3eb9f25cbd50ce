/// Plays a launch with answers in an inconvenient order, and prints the user's view.
@main
struct LaunchDecisionsExample {
    static func main() {
        playLaunch { print($0) }
    }

    static func playLaunch(_ show: @escaping @Sendable (String) -> Void) {
        let decisions = HomeScreen(show: show).decisions

        show("# The app was opened by a notification; two servers answer early")
        decisions.set(.needed, for: .notification)
        decisions.set(.needed, for: .advertisement)
        decisions.set(.needed, for: .redDot)

        show("# The home screen appears")
        decisions.open()

        show("# The user is in another city; there is a new skin")
        decisions.set(.needed, for: .switchCity)
        decisions.set(.needed, for: .skin)

        show("# This version must be upgraded")
        decisions.set(.needed, for: .upgrade)

        show("# The user puts the upgrade off")
        decisions.complete(.upgrade)

        show("# The user goes back to the first city")
        decisions.set(.notNeeded, for: .switchCity)

        show("# The user closes the advertisement")
        decisions.complete(.advertisement)

        show("# The reminder's server has not answered: \(decisions.need(for: .reminder))")
    }
}
