import NIOCore

extension ByteBuffer {
    /// Writes a method as the content of a frame.
    mutating func writeMethod(_ method: Method) {
        switch method {
        case .connectionStart, .connectionStartOK, .connectionTune, .connectionTuneOK,
            .connectionOpen, .connectionOpenOK, .connectionClose, .connectionCloseOK,
            .connectionBlocked, .connectionUnblocked:
            writeConnectionMethod(method)
        case .channelOpen, .channelOpenOK, .channelFlow, .channelFlowOK, .channelClose,
            .channelCloseOK:
            writeChannelMethod(method)
        case .exchangeDeclare, .exchangeDeclareOK, .exchangeDelete, .exchangeDeleteOK:
            writeExchangeMethod(method)
        case .queueDeclare, .queueDeclareOK, .queueBind, .queueBindOK, .queueUnbind,
            .queueUnbindOK, .queuePurge, .queuePurgeOK, .queueDelete, .queueDeleteOK:
            writeQueueMethod(method)
        case .confirmSelect:
            writeID(85, 10)
            writeInteger(UInt8(0))
        case .confirmSelectOK: writeID(85, 11)
        default: writeBasicMethod(method)
        }
    }

    private mutating func writeConnectionMethod(_ method: Method) {
        switch method {
        case .connectionStart(let major, let minor, let mechanisms):
            writeID(10, 10)
            writeInteger(major)
            writeInteger(minor)
            writeTable([:])
            writeLongBytes(mechanisms.utf8)
            writeLongBytes("en_US".utf8)
        case .connectionStartOK(let properties, let mechanism, let response):
            writeID(10, 11)
            writeTable(properties)
            writeShortText(mechanism)
            writeLongBytes(response)
            writeShortText("en_US")
        case .connectionTune(let channelMax, let frameMax, let heartbeat):
            writeID(10, 30)
            writeLimits(channelMax, frameMax, heartbeat)
        case .connectionTuneOK(let channelMax, let frameMax, let heartbeat):
            writeID(10, 31)
            writeLimits(channelMax, frameMax, heartbeat)
        case .connectionOpen(let host):
            writeID(10, 40)
            writeShortText(host)
            writeShortText("")
            writeInteger(UInt8(0))
        case .connectionOpenOK:
            writeID(10, 41)
            writeShortText("")
        case .connectionClose(let reason):
            writeID(10, 50)
            writeReason(reason)
        case .connectionCloseOK: writeID(10, 51)
        case .connectionBlocked(let reason):
            writeID(10, 60)
            writeShortText(reason)
        default: writeID(10, 61)
        }
    }

    private mutating func writeChannelMethod(_ method: Method) {
        switch method {
        case .channelOpen:
            writeID(20, 10)
            writeShortText("")
        case .channelOpenOK:
            writeID(20, 11)
            writeLongBytes([])
        case .channelFlow(let active):
            writeID(20, 20)
            writeFlags(active)
        case .channelFlowOK(let active):
            writeID(20, 21)
            writeFlags(active)
        case .channelClose(let reason):
            writeID(20, 40)
            writeReason(reason)
        default: writeID(20, 41)
        }
    }

    private mutating func writeExchangeMethod(_ method: Method) {
        switch method {
        case .exchangeDeclare(let name, let type, let flags, let arguments):
            writeID(40, 10)
            writeInteger(UInt16(0))
            writeShortText(name)
            writeShortText(type)
            writeInteger(flags.rawValue)
            writeTable(arguments)
        case .exchangeDeclareOK: writeID(40, 11)
        case .exchangeDelete(let name):
            writeID(40, 20)
            writeInteger(UInt16(0))
            writeShortText(name)
            writeInteger(UInt8(0))
        default: writeID(40, 21)
        }
    }

    private mutating func writeQueueMethod(_ method: Method) {
        switch method {
        case .queueDeclare(let name, let flags, let arguments):
            writeID(50, 10)
            writeInteger(UInt16(0))
            writeShortText(name)
            writeInteger(flags.rawValue)
            writeTable(arguments)
        case .queueDeclareOK(let name, let messageCount, let consumerCount):
            writeID(50, 11)
            writeShortText(name)
            writeInteger(messageCount)
            writeInteger(consumerCount)
        case .queueBind(let queue, let exchange, let key, let arguments):
            writeID(50, 20)
            writeInteger(UInt16(0))
            for text in [queue, exchange, key] { writeShortText(text) }
            writeInteger(UInt8(0))
            writeTable(arguments)
        case .queueBindOK: writeID(50, 21)
        case .queuePurge(let name):
            writeID(50, 30)
            writeInteger(UInt16(0))
            writeShortText(name)
            writeInteger(UInt8(0))
        case .queuePurgeOK(let count):
            writeID(50, 31)
            writeInteger(count)
        case .queueDelete(let name):
            writeID(50, 40)
            writeInteger(UInt16(0))
            writeShortText(name)
            writeInteger(UInt8(0))
        case .queueDeleteOK(let count):
            writeID(50, 41)
            writeInteger(count)
        case .queueUnbind(let queue, let exchange, let key, let arguments):
            writeID(50, 50)
            writeInteger(UInt16(0))
            for text in [queue, exchange, key] { writeShortText(text) }
            writeTable(arguments)
        default: writeID(50, 51)
        }
    }

    private mutating func writeBasicMethod(_ method: Method) {
        switch method {
        case .basicQos(let prefetch):
            writeID(60, 10)
            writeInteger(UInt32(0))
            writeInteger(prefetch)
            writeInteger(UInt8(0))
        case .basicQosOK: writeID(60, 11)
        case .basicConsume(let queue, let tag, let exclusive, let arguments):
            writeID(60, 20)
            writeInteger(UInt16(0))
            writeShortText(queue)
            writeShortText(tag)
            writeFlags(false, false, exclusive)
            writeTable(arguments)
        case .basicConsumeOK(let tag):
            writeID(60, 21)
            writeShortText(tag)
        case .basicCancel(let tag, let noWait):
            writeID(60, 30)
            writeShortText(tag)
            writeFlags(noWait)
        case .basicCancelOK(let tag):
            writeID(60, 31)
            writeShortText(tag)
        case .basicPublish(let exchange, let key, let mandatory):
            writeID(60, 40)
            writeInteger(UInt16(0))
            writeShortText(exchange)
            writeShortText(key)
            writeFlags(mandatory)
        case .basicReturn(let code, let text, let exchange, let key):
            writeID(60, 50)
            writeInteger(code)
            for text in [text, exchange, key] { writeShortText(text) }
        case .basicDeliver(let tag, let delivery, let redelivered, let exchange, let key):
            writeID(60, 60)
            writeShortText(tag)
            writeInteger(delivery)
            writeFlags(redelivered)
            writeShortText(exchange)
            writeShortText(key)
        case .basicAck(let delivery, let multiple):
            writeID(60, 80)
            writeInteger(delivery)
            writeFlags(multiple)
        case .basicReject(let delivery, let requeue):
            writeID(60, 90)
            writeInteger(delivery)
            writeFlags(requeue)
        case .basicNack(let delivery, let multiple, let requeue):
            writeID(60, 120)
            writeInteger(delivery)
            writeFlags(multiple, requeue)
        default: preconditionFailure("\(method) belongs to another class")
        }
    }

    private mutating func writeID(_ classID: UInt16, _ methodID: UInt16) {
        writeInteger(classID)
        writeInteger(methodID)
    }

    /// Packs bits into one byte, lowest bit first.
    private mutating func writeFlags(_ flags: Bool...) {
        writeInteger(flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) })
    }

    private mutating func writeLimits(_ channels: UInt16, _ frame: UInt32, _ heartbeat: UInt16) {
        writeInteger(channels)
        writeInteger(frame)
        writeInteger(heartbeat)
    }

    private mutating func writeReason(_ reason: ClosingReason) {
        writeInteger(reason.code)
        writeShortText(reason.text)
        writeInteger(reason.classID)
        writeInteger(reason.methodID)
    }
}
