import Foundation

let maximumVolume = 100

enum PlayerState: Equatable {
    case stopped
    case playing(track: String, position: Double)
    case failed(reason: String)
}

protocol AudioSource {
    var duration: Double { get }
    func load(_ track: String) throws -> Data
}

final class Player {
    private let source: AudioSource
    private(set) var state: PlayerState = .stopped
    var volume: Int = 40

    init(source: AudioSource) {
        self.source = source
    }

    func play(_ track: String, from position: Double = 0) -> Bool {
        do {
            let data = try source.load(track)
            guard !data.isEmpty, position < source.duration else {
                state = .failed(reason: "nothing to play in \(track)")
                return false
            }
            state = .playing(track: track, position: position)
            return true
        } catch {
            state = .failed(reason: error.localizedDescription)
            return false
        }
    }

    func louder(by step: Int) -> Int {
        let wanted = volume + max(step, 1)
        volume = wanted > maximumVolume ? maximumVolume : wanted
        return volume
    }
}

extension Player {
    func remaining() -> Double {
        if case let .playing(_, position) = state {
            return max(source.duration - position, 0)
        }
        return 0
    }
}

func clockText(seconds: Int, separator: String = ":") -> String {
    let minutes = seconds / 60
    let rest = seconds % 60
    return String(minutes) + separator + (rest < 10 ? "0" : "") + String(rest)
}
