import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readLogLines } from './log-lines.ts'

const silent = Promise.resolve('')

test('a message is found whether it was written before or comes later', async () => {
  const output = new PassThrough()
  const { said } = readLogLines(output, silent)
  const later = said('ready')
  output.write('{"msg":"ready","port":1}\n')
  expect(await later).toEqual({ msg: 'ready', port: 1 })
  expect(await said('ready')).toEqual({ msg: 'ready', port: 1 })
})

test('a log that ends without the message says what it had, and why the server could not start', async () => {
  const output = new PassThrough()
  const { said } = readLogLines(output, Promise.resolve('livemode: expected boolean'))
  const waits = said('ready')
  output.end('{"msg":"starting"}\nnot JSON\n')
  const why = /without "ready"\n\{"msg":"starting"\}\n\{"plain":"not JSON"\}\nlivemode: expected boolean$/
  await expect(waits).rejects.toThrow(why)
  await expect(said('ready')).rejects.toThrow(why)
})
