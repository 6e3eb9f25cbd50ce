func loadFromServer(_ done: @escaping ((any Error)?) -> Void) {}
