extension Browser {
    /// Opens the page of a server, and returns when it is connected.
    convenience init(
        on server: ServerProcess,
        path: String = "/",
        width: Int = 1_280,
        height: Int = 900
    ) throws {
        try self.init()
        try show(width: width, height: height)
        try open("http://127.0.0.1:\(server.port)\(path)")
        try wait("document.getElementById('connection')?.dataset.state === 'live'")
    }

    /// Clicks the first element that a selector finds.
    func click(_ selector: String) throws {
        try evaluate("document.querySelector(`\(selector)`).click()")
    }

    /// Presses a button and answers its question.
    ///
    /// A question ends after some seconds, which a busy machine may need between two calls.
    func confirm(_ selector: String) throws {
        try evaluate(
            """
            (() => {
              const button = document.querySelector(`\(selector)`);
              if (!/really/i.test(button.textContent)) button.click();
              button.click();
            })()
            """
        )
    }

    /// The text of the first element that a selector finds.
    func text(_ selector: String) throws -> String {
        try evaluate("document.querySelector(`\(selector)`).textContent") as? String ?? ""
    }
}
