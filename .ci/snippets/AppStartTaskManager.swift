// snippet "manager.delegate = self": body of App
final class App: AppStartTaskManagerDelegate {
    func taskDidComplete(_ task: any AppStartTask) {}
    func taskManagerDidComplete() {}
    func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {}
}
class Step: AppStartTask {
    let taskName = "step"
    func start(delegate: any AppStartTaskDelegate) {}
}
final class ChooseServer: Step {}
final class LoadConfiguration: Step {}
