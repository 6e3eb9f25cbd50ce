import HTTPTypes
import Hummingbird
import JobObservability
import JobStore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Checks each request with the gate, and turns all errors into answers of one form.
final class GuardedResponder<Routes: HTTPResponder>: HTTPResponder
where Routes.Context == RequestScope {
    let gate: RequestGate
    let page: Page
    let routes: Routes
    let logger: Logger
    let guesses = Mutex(WrongTokensStateMachine())
    private let opened = ContinuousClock.now

    init(gate: RequestGate, page: Page, routes: Routes, logger: Logger) {
        self.gate = gate
        self.page = page
        self.routes = routes
        self.logger = logger
    }

    func respond(to request: Request, context: RequestScope) async throws -> Response {
        let response = try await answer(request, context)
        // A client would read a body in the answer to HEAD as the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, _ context: RequestScope) async throws -> Response {
        let visitor = request.visitor
        let address = context.address
        let isGuess =
            gate.secret != nil
            && (RequestGate.token(of: visitor) != nil || visitor.path == "/login")
        if isGuess {
            let now = ContinuousClock.now - opened
            guard let wait = guesses.withLock({ $0.tokenCame(from: address, at: now) }) else {
                return Reply.secured(Reply.problem(.tooManyTokens))
            }
            if wait > .zero { try await Task.sleep(for: wait) }
        }
        let response = try await guarded(request, visitor, context)
        if isGuess {
            let isKnown =
                visitor.path == "/login" ? response.status == .ok : gate.name(of: visitor) != nil
            note(isKnown, from: address)
        }
        return response
    }

    private func note(_ isRight: Bool, from address: String) {
        guard !isRight else { return guesses.withLock { $0.tokenWasRight(from: address) } }
        guesses.withLock { $0.tokenWasWrong(from: address) }
        logger.info("A wrong token was sent", metadata: ["client": "\(address)"])
    }

    private func guarded(
        _ request: Request,
        _ visitor: RequestGate.Visitor,
        _ context: RequestScope
    ) async throws -> Response {
        if let problem = gate.problem(of: visitor) {
            if problem.status == .unauthorized, visitor.path == "/", visitor.method == .get {
                return Reply.secured(page.login)
            }
            return Reply.secured(Reply.problem(problem))
        }
        do {
            let response = try await routes.respond(to: request, context: context)
            // For unknown paths and methods, the router returns an empty answer.
            guard response.status != .notFound else { throw HTTPProblem.unknownPath }
            return Reply.secured(response)
        } catch let error as HTTPParserError {
            // The request is incomplete. The connection answers it and closes.
            throw error
        } catch {
            return Reply.secured(Reply.problem(problem(for: error, request)))
        }
    }

    private func problem(for error: any Error, _ request: Request) -> HTTPProblem {
        switch error {
        case let problem as HTTPProblem: return problem
        case let problem as RunProblem: return HTTPProblem(problem)
        case let failure as StoreFailed: return HTTPProblem(failure)
        case let problem as InvalidParameter: return HTTPProblem(problem)
        case is NIOTooManyBytesError: return .tooLarge
        case let error as any HTTPResponseError where error.status == .notFound:
            return .unknownPath
        case let error as any HTTPResponseError:
            return HTTPProblem(error.status, "The request cannot be served.")
        default:
            logger.error(
                "A request failed",
                metadata: [
                    "http.path": "\(LogText.oneLine(request.uri.path))",
                    "error.message": "\(LogText.oneLine("\(error)"))",
                ]
            )
            return HTTPProblem(.internalServerError, "The server could not do this.")
        }
    }
}
