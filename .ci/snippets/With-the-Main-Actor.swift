final class ImportPhotos: JobController, @unchecked Sendable {}
final class CountPhotos: ResultOperation<Int>, @unchecked Sendable {}
@MainActor final class Window {
    var title = ""
    func show() {}
    func closed() async {}
}
func loadFonts() {}
@MainActor let gallery = Gallery()
