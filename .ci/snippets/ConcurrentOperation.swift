#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
let session = URLSession.shared
let url = URL(filePath: "/")
