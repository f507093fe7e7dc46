import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** The message types of PostgreSQL's protocol, version 3. */
const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/**
 * Speaks as PostgreSQL 16 does of `transaction_timeout`: a login that names it is refused, and so is a statement that
 * sets it. The workspace has no server that old.
 *
 * @returns its address
 */
export async function startOlderServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', (startup) => {
      if (startup.includes('transaction_timeout')) socket.end(refusal('FATAL'))
      else socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
      socket.on('data', (message) => {
        if (message.includes('transaction_timeout'))
          socket.write(Buffer.concat([refusal('ERROR'), READY_FOR_QUERY]))
      })
    })
  })
  return `postgres://owner@127.0.0.1:${await listen(server)}/payments`
}

function refusal(severity: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, 'C42704', 'Munrecognized configuration parameter']
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
