// snippet "totalBytesSent": members of Uploads
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
struct Uploads {
    let upload = ConcurrentOperation()
}
