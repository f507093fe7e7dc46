import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

export interface NameServer {
  /** In the form of `dns.setServers`. */
  readonly address: string
  /** The names of all questions, answered or not, each once. */
  asked(): readonly string[]
  /** From now on no question is answered. */
  silence(): void
}

const A = 1
const AAAA = 28
const NO_SUCH_NAME = 3
const FAILED = 2

/**
 * A name server on UDP for one test. A name has addresses, or its questions get no answer ("silent") or the
 * answer that the server failed. Other names do not exist.
 *
 * @param dropsIpv6 no question for IPv6 addresses is answered
 */
export async function startNameServer(
  names: Readonly<Record<string, readonly string[] | 'silent' | 'failed'>>,
  { dropsIpv6 = false } = {},
): Promise<NameServer> {
  const asked = new Set<string>()
  let silent = false
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = questionIn(question)
    asked.add(name)
    const known = names[name]
    if (silent || known === 'silent' || (dropsIpv6 && type === AAAA)) return
    const addresses = Array.isArray(known) ? known.filter((text) => isIP(text) === (type === A ? 4 : 6)) : []
    const fault = known === 'failed' ? FAILED : NO_SUCH_NAME
    const header = Buffer.from([
      0x81,
      0x80 | (Array.isArray(known) ? 0 : fault),
      0,
      1,
      0,
      addresses.length,
      0,
      0,
      0,
      0,
    ])
    const records = addresses.map((text) => recordOf(text, type))
    socket.send(
      Buffer.concat([question.subarray(0, 2), header, question.subarray(12, end), ...records]),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => [...asked],
    silence: () => {
      silent = true
    },
  }
}

function questionIn(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** A record of the name in the question, valid for no time. */
function recordOf(address: string, type: number): Buffer {
  const bytes = type === AAAA ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number))
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes])
}

function ipv6Bytes(address: string): Buffer {
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
