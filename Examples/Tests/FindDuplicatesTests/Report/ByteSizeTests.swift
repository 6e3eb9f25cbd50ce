import Testing

@testable import FindDuplicates

@Suite struct ByteSizeTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1949, "1.9 kB"), (999_999, "999.9 kB"),
        (12_300_000, "12.3 MB"), (4_000_000_000, "4.0 GB"), (1_250_000_000_000_000, "1.2 PB"),
        (.max, "9223.3 PB"),
    ])
    func bytesAreCountedInDecimalUnits(count: Int64, text: String) {
        #expect(ByteSize.text(count) == text)
    }

    @Test(arguments: [
        ("0", 0), ("1025", 1025), ("1K", 1024), ("1k", 1024), ("10 KiB", 10_240),
        ("1kB", 1000), ("500KB", 500_000), ("2M", 2 << 20), ("3G", 3 << 30), ("1T", 1 << 40),
        ("7B", 7),
    ])
    func sizesAreRead(text: String, bytes: Int64) {
        #expect(ByteSize.parse(text) == bytes)
    }

    @Test(arguments: ["", "K", "-1", "1X", "1KX", "1.5M", "9999999T", "99999999999999999999", "٣"])
    func whatIsNoSizeIsRefused(text: String) {
        #expect(ByteSize.parse(text) == nil)
    }
}
