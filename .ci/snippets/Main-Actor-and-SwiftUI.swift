final class ImportPhotos: JobController, @unchecked Sendable {}
final class CountPhotos: ResultOperation<Int>, @unchecked Sendable {}
@MainActor let gallery = Gallery()
