import JobKit

/// The items that an app may have to show after its launch.
enum LaunchItem {
    case upgrade
    case switchCity
    case advertisement
    case notification
    case skin
    case redDot
    case reminder
}

/// A home screen that shows each item and leaves all decisions to `LaunchDecisions`.
struct HomeScreen {
    let decisions = LaunchDecisions<LaunchItem>(
        priority: [.upgrade, .switchCity, .advertisement, .notification],
        independent: [.skin, .redDot, .reminder]
    )

    init(show: @escaping @Sendable (String) -> Void) {
        alert(.upgrade, "the upgrade alert", show)
        alert(.switchCity, "the change of city", show)
        alert(.advertisement, "the advertisement", show)
        // Opening a page takes no time, so the item is completed at once.
        decisions.whenPresented(.notification) { [weak decisions] in
            show("Open the notification's page")
            decisions?.complete(.notification)
        }
        decisions.whenPresented(.skin) { show("Put on the new skin") }
        decisions.whenPresented(.redDot) { show("Mark the tab with a red dot") }
        decisions.whenPresented(.reminder) { show("Show the bubble of what expires") }
    }

    private func alert(
        _ item: LaunchItem,
        _ name: String,
        _ show: @escaping @Sendable (String) -> Void
    ) {
        decisions.whenPresented(item) { show("Show \(name)") }
        decisions.whenWithdrawn(item) { show("Hide \(name)") }
    }
}
