import RemoteJobs

extension RemoteWorker {
    /// Lets the worker list and hash the files of a folder for jobs that name its host.
    ///
    /// - Parameters:
    ///   - folder: The folder. No file outside it is listed or read.
    ///   - host: The name of this host in jobs.
    public func registerDuplicates(of folder: SharedFolder, host: String) {
        register(ListFolder.self, at: host) { input, _ in ListingOperation(input, in: folder) }
        register(HashFiles.self, at: host) { input, context in
            HashingOperation(input, in: folder, context)
        }
    }
}
