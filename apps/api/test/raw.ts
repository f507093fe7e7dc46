import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestAnswer } from './send.ts'

/** Sends bytes unchanged and reads until the server closes. A valid request must ask for the close. */
export async function sendRaw(origin: string, bytes: string | Uint8Array): Promise<TestAnswer[]> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A server that answers before it has read everything may reset the connection.
  socket.on('error', () => undefined)
  socket.write(bytes)
  await new Promise((closed) => socket.once('close', closed))
  return parseAnswers(Buffer.concat(chunks))
}

/** Sends bytes, and breaks the connection after `reached`. */
export async function leaveDuring(
  origin: string,
  bytes: string,
  reached: () => Promise<unknown>,
): Promise<void> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  await reached()
  socket.resetAndDestroy()
  await once(socket, 'close')
}

function parseAnswers(bytes: Buffer): TestAnswer[] {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return []
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const from = end + 4
  const length = Number(headers['content-length'] ?? bytes.length - from)
  const text = bytes.subarray(from, from + length).toString()
  const isJson = headers['content-type']?.includes('json') === true && text !== ''
  const answer = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  }
  return answer.status < 200
    ? parseAnswers(bytes.subarray(from))
    : [answer, ...parseAnswers(bytes.subarray(from + length))]
}
