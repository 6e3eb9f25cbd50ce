import FindDuplicates
import Foundation

/// Where the program begins.
@main
enum EntryPoint {
    /// Hands the arguments to the command, with all their bytes.
    static func main() async {
        let arguments = (1..<max(1, Int(CommandLine.argc)))
            .compactMap { number in
                CommandLine.unsafeArgv[number]
                    .map { argument in
                        let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
                        return ArgumentText.text(of: Array(bytes))
                    }
            }
        await FindDuplicatesCommand.main(arguments)
    }
}
