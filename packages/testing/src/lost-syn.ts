import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { endWithThisProcess } from './end-with-this-process.ts'

/** Linux keeps one connection more than the backlog for a server that accepts none, and drops every further SYN. */
const QUEUE = 2

/** An HTTP server that accepts no connection until it has read a byte. */
const source = `
  const { readSync, writeSync } = require('node:fs')
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end())
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: ${QUEUE - 1} }, () => {
    writeSync(1, String(server.address().port))
    readSync(0, Buffer.alloc(1))
  })`

/**
 * Starts an HTTP server on 127.0.0.1. The first SYN that this process sends to it is lost, so it connects when the kernel
 * repeats the SYN, after a second. `lost` says whether no answer came to the first one.
 */
export async function startAfterLostSyn(): Promise<{ port: number; lost: () => boolean }> {
  const child = endWithThisProcess(
    spawn(process.execPath, ['--eval', source], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(text)
  for (let n = 0; n < QUEUE; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
  }
  let lost = false
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('connectionAttempt', async (_address, attempted) => {
      if (attempted !== port) return
      // Two turns of the event loop report a connection that the kernel has made at once.
      await nextTurn()
      await nextTurn()
      lost = socket.connecting
      child.stdin.write('x')
    })
  }
  subscribe('net.client.socket', watch)
  onTestFinished(() => void unsubscribe('net.client.socket', watch))
  return { port, lost: () => lost }
}
