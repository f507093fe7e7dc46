import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { FRESH, type NoiseRequest } from './noise.ts'

// Sends one request repeatedly over its connections until it is told to stop, and counts the answers. It
// keeps no body, because an answer may have a hundred megabytes.

/** Bounds the run against a server that closes connections instead of answering. */
const RECONNECTS_MAX = 10_000
const HEAD_BYTES_MAX = 16_384

const { port, connections, request } = workerData as NoiseRequest
const tally: Record<string, number> = {}
const state = { stopping: false, reconnects: 0 }

parentPort?.once('message', () => {
  state.stopping = true
})
const loops = Promise.all(Array.from({ length: connections }, loop))
parentPort?.postMessage('started', [])
await loops
parentPort?.postMessage(tally, [])

async function loop(): Promise<void> {
  let socket = await open()
  while (!state.stopping) {
    const text = request.replaceAll(FRESH, () => randomUUID())
    let status = await exchange(socket, text)
    // Sends the same request again, because the first one may have been carried out.
    while (status === null) {
      state.reconnects += 1
      if (state.reconnects > RECONNECTS_MAX) throw new Error('the server closes every connection')
      socket.destroy()
      socket = await open()
      status = await exchange(socket, text)
    }
    tally[status] = (tally[status] ?? 0) + 1
  }
  socket.destroy()
}

async function open(): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** @returns the status, or null if the connection ended before the answer */
function exchange(socket: Socket, text: string): Promise<string | null> {
  return new Promise((resolve) => {
    let head = ''
    let status = ''
    let bytesLeft = Number.POSITIVE_INFINITY
    const onData = (chunk: Buffer) => {
      if (status === '') {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0 && head.length < HEAD_BYTES_MAX) return
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        if (end < 0 || length === undefined) throw new Error('an answer without a Content-Length')
        status = head.slice(9, 12)
        bytesLeft = end + 4 + Number(length) - head.length
      } else bytesLeft -= chunk.length
      if (bytesLeft <= 0) finish(status)
    }
    const onClose = () => finish(null)
    const finish = (result: string | null) => {
      socket.off('data', onData).off('close', onClose)
      resolve(result)
    }
    if (socket.destroyed) return resolve(null)
    socket.on('data', onData).on('close', onClose)
    socket.write(text, 'latin1')
  })
}
