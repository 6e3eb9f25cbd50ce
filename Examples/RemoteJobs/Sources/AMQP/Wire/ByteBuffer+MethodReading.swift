import NIOCore

extension ByteBuffer {
    /// Reads a method, which fills a whole frame.
    mutating func requireMethod() throws(WireError) -> Method {
        let classID = try require(UInt16.self)
        let methodID = try require(UInt16.self)
        let method =
            switch classID {
            case 10: try requireConnectionMethod(methodID)
            case 20: try requireChannelMethod(methodID)
            case 40: try requireExchangeMethod(methodID)
            case 50: try requireQueueMethod(methodID)
            case 60: try requireBasicMethod(methodID)
            case 85 where methodID == 10: try requireConfirmSelect()
            case 85 where methodID == 11: Method.confirmSelectOK
            default: throw WireError.unknownMethod(classID: classID, methodID: methodID)
            }
        guard readableBytes == 0 else { throw .surplusBytes }
        return method
    }

    private mutating func requireConfirmSelect() throws(WireError) -> Method {
        _ = try require(UInt8.self)
        return .confirmSelect
    }

    private mutating func requireConnectionMethod(_ id: UInt16) throws(WireError) -> Method {
        switch id {
        case 10:
            let (major, minor) = (try require(UInt8.self), try require(UInt8.self))
            _ = try requireTable()
            let mechanisms = try requireLongText()
            _ = try requireLongBytes()
            return .connectionStart(major: major, minor: minor, mechanisms: mechanisms)
        case 11:
            let properties = try requireTable()
            let mechanism = try requireShortText()
            let response = try requireLongBytes()
            _ = try requireShortText()
            return .connectionStartOK(
                properties: properties,
                mechanism: mechanism,
                response: response
            )
        case 30:
            return .connectionTune(
                channelMax: try require(),
                frameMax: try require(),
                heartbeat: try require()
            )
        case 31:
            return .connectionTuneOK(
                channelMax: try require(),
                frameMax: try require(),
                heartbeat: try require()
            )
        case 40:
            let host = try requireShortText()
            _ = try requireShortText()
            _ = try require(UInt8.self)
            return .connectionOpen(virtualHost: host)
        case 41:
            _ = try requireShortText()
            return .connectionOpenOK
        case 50: return .connectionClose(try requireReason())
        case 51: return .connectionCloseOK
        case 60: return .connectionBlocked(reason: try requirePublishersText())
        case 61: return .connectionUnblocked
        default: throw .unknownMethod(classID: 10, methodID: id)
        }
    }

    private mutating func requireChannelMethod(_ id: UInt16) throws(WireError) -> Method {
        switch id {
        case 10:
            _ = try requireShortText()
            return .channelOpen
        case 11:
            _ = try requireLongBytes()
            return .channelOpenOK
        case 20: return .channelFlow(active: try require(UInt8.self) & 1 != 0)
        case 21: return .channelFlowOK(active: try require(UInt8.self) & 1 != 0)
        case 40: return .channelClose(try requireReason())
        case 41: return .channelCloseOK
        default: throw .unknownMethod(classID: 20, methodID: id)
        }
    }

    private mutating func requireExchangeMethod(_ id: UInt16) throws(WireError) -> Method {
        switch id {
        case 10:
            _ = try require(UInt16.self)
            let name = try requireShortText()
            let type = try requireShortText()
            let flags = DeclareFlags(rawValue: try require())
            return .exchangeDeclare(
                name: name,
                type: type,
                flags,
                arguments: try requireTable()
            )
        case 11: return .exchangeDeclareOK
        case 20:
            _ = try require(UInt16.self)
            let name = try requireShortText()
            _ = try require(UInt8.self)
            return .exchangeDelete(name: name)
        case 21: return .exchangeDeleteOK
        default: throw .unknownMethod(classID: 40, methodID: id)
        }
    }

    private mutating func requireQueueMethod(_ id: UInt16) throws(WireError) -> Method {
        switch id {
        case 10:
            _ = try require(UInt16.self)
            let name = try requireShortText()
            let flags = DeclareFlags(rawValue: try require())
            return .queueDeclare(name: name, flags, arguments: try requireTable())
        case 11:
            return .queueDeclareOK(
                name: try requireShortText(),
                messageCount: try require(),
                consumerCount: try require()
            )
        case 20:
            _ = try require(UInt16.self)
            let (queue, exchange) = (try requireShortText(), try requireShortText())
            let key = try requireShortText()
            _ = try require(UInt8.self)
            return .queueBind(
                queue: queue,
                exchange: exchange,
                key: key,
                arguments: try requireTable()
            )
        case 21: return .queueBindOK
        case 30:
            _ = try require(UInt16.self)
            let name = try requireShortText()
            _ = try require(UInt8.self)
            return .queuePurge(name: name)
        case 31: return .queuePurgeOK(messageCount: try require())
        case 40:
            _ = try require(UInt16.self)
            let name = try requireShortText()
            _ = try require(UInt8.self)
            return .queueDelete(name: name)
        case 41: return .queueDeleteOK(messageCount: try require())
        case 50:
            _ = try require(UInt16.self)
            return .queueUnbind(
                queue: try requireShortText(),
                exchange: try requireShortText(),
                key: try requireShortText(),
                arguments: try requireTable()
            )
        case 51: return .queueUnbindOK
        default: throw .unknownMethod(classID: 50, methodID: id)
        }
    }

    private mutating func requireBasicMethod(_ id: UInt16) throws(WireError) -> Method {
        switch id {
        case 10:
            _ = try require(UInt32.self)
            let prefetch = try require(UInt16.self)
            _ = try require(UInt8.self)
            return .basicQos(prefetch: prefetch)
        case 11: return .basicQosOK
        case 20:
            _ = try require(UInt16.self)
            let (queue, tag) = (try requireShortText(), try requireShortText())
            let flags = try require(UInt8.self)
            return .basicConsume(
                queue: queue,
                tag: tag,
                exclusive: flags & 0b100 != 0,
                arguments: try requireTable()
            )
        case 21: return .basicConsumeOK(tag: try requireShortText())
        case 30:
            let tag = try requireShortText()
            return .basicCancel(tag: tag, noWait: try require(UInt8.self) & 1 != 0)
        case 31: return .basicCancelOK(tag: try requireShortText())
        case 40:
            _ = try require(UInt16.self)
            let (exchange, key) = (try requireShortText(), try requireShortText())
            let flags = try require(UInt8.self)
            return .basicPublish(exchange: exchange, key: key, mandatory: flags & 1 != 0)
        case 50:
            return .basicReturn(
                code: try require(),
                text: try requireShortText(),
                exchange: try requireShortText(),
                key: try requirePublishersText()
            )
        case 60:
            return .basicDeliver(
                tag: try requireShortText(),
                delivery: try require(),
                redelivered: try require(UInt8.self) & 1 != 0,
                exchange: try requireShortText(),
                key: try requirePublishersText()
            )
        case 80:
            return .basicAck(
                delivery: try require(),
                multiple: try require(UInt8.self) & 1 != 0
            )
        case 90:
            return .basicReject(
                delivery: try require(),
                requeue: try require(UInt8.self) & 1 != 0
            )
        case 120:
            let delivery = try require(UInt64.self)
            let flags = try require(UInt8.self)
            return .basicNack(
                delivery: delivery,
                multiple: flags & 0b1 != 0,
                requeue: flags & 0b10 != 0
            )
        default: throw .unknownMethod(classID: 60, methodID: id)
        }
    }

    private mutating func requireReason() throws(WireError) -> ClosingReason {
        var reason = ClosingReason(code: try require(), text: try requirePublishersText())
        reason.classID = try require()
        reason.methodID = try require()
        return reason
    }

    private mutating func requireLongText() throws(WireError) -> String {
        try requireText(length: Int(require(UInt32.self)))
    }
}
