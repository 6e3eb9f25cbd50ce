/// What a step's work is told about the step.
public struct StepContext: Sendable {
    /// The step's key.
    public let key: String
    /// Whether an earlier life of the job may have begun the step, and not recorded its end.
    ///
    /// A step that may have begun may have had its effect: ask the server, or rely on the
    /// ``idempotencyKey``.
    public let mayHaveBegun: Bool

    private let path: StepPath
    private let version: Int
    private let seal: JournalSeal

    /// Names this step to the server that it calls: 32 hexadecimal digits.
    ///
    /// The same in all lives of the job, and another for each job, scope, key and version. A
    /// journal that was removed and begun anew has others.
    public var idempotencyKey: String {
        var bytes = path.bytes
        bytes.append(little: Int64(version))
        return seal.digest(.request, bytes).text
    }

    init(_ running: RunningStep, version: Int, sealedBy seal: JournalSeal) {
        key = running.step.key
        mayHaveBegun = running.mayHaveBegun
        path = running.step.path
        self.version = version
        self.seal = seal
    }
}

extension SipHash.Digest {
    /// 32 hexadecimal digits.
    fileprivate var text: String {
        [low, high]
            .map { word in
                let digits = String(word, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }
            .joined()
    }
}
