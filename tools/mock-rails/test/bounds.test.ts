import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startRails } from './mtn-client.ts'

const MAX_HANGING = 1_000

test('above a thousand unanswered connections the oldest is reset', async () => {
  const rails = await startRails()
  await rails.control.addFault({ operation: 'token', kind: 'hang', times: MAX_HANGING + 1 })
  const { port } = new URL(rails.wireUrl)
  const hang = async (): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write('POST /collection/token/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    return socket
  }
  const oldest = await hang()
  const reset = once(oldest, 'error')
  const others: Socket[] = []
  for (let n = 0; n < MAX_HANGING; n++) others.push(await hang())
  expect(await reset).toMatchObject([{ code: 'ECONNRESET' }])
  expect(others.filter((socket) => socket.destroyed)).toEqual([])
  for (const socket of others) socket.destroy()
  await rails.stop()
})
