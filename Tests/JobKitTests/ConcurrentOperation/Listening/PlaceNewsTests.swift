import Testing

@testable import JobKit

@Suite struct PlaceNewsTests {
    private let queue = TaskQueue().shell
    private let job = ConcurrentOperation()

    @Test func newsForTheWorkersQueueIsKeptAndTakenOnce() {
        var news = PlaceNews(for: queue)
        #expect(news.take() == nil)
        #expect(news.keep(job, in: queue) == true)
        #expect(news.take() === job)
        #expect(news.take() == nil)
    }

    @Test func newsForAnotherQueueIsToldAtOnce() {
        var news = PlaceNews(for: TaskQueue().shell)
        #expect(news.keep(job, in: queue) == false)
        #expect(news.take() == nil)
    }

    @Test func newsOfAThreadThatIsNoWorkerIsToldAtOnce() {
        var news = PlaceNews()
        #expect(news.keep(job, in: queue) == false)
        #expect(news.take() == nil)
    }
}
