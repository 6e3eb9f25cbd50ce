/// The seven items of a real app's launch: four exclude each other, three do not.
enum SeedItem: CaseIterable {
    case upgrade
    case switchCity
    case advertisement
    case notification
    case skin
    case redDot
    case reminder

    static let prioritized: [SeedItem] = [.upgrade, .switchCity, .advertisement, .notification]
    static let independent: Set<SeedItem> = [.skin, .redDot, .reminder]
}
