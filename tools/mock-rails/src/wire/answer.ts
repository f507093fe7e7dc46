import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { orangeError } from '../orange/answers.ts'
import type { Fault, Operation } from './faults.ts'
import type { HangingSockets } from './hanging-sockets.ts'

export type Answer = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The reason of a refusal, for the call log only. The real rail often does not send it. */
  readonly why?: string
  readonly transmission?: 'reset' | 'hang' | 'truncated' | 'slow_drip'
  readonly intervalMs?: number
}

export type Checked<T> = { readonly ok: T } | { readonly refusal: Answer }

/** Bytes of the Content-Length that a truncated answer never sends. */
const MISSING_BYTES = 32

const GATEWAY_PAGE =
  '<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Service notice</h1></body></html>'

export function spoilAnswer(answer: Answer, fault: Fault): Answer {
  switch (fault.kind) {
    case 'http':
      return { status: fault.status, ...(fault.body === undefined ? {} : { body: fault.body }) }
    case 'html':
      return { status: 200, body: GATEWAY_PAGE, headers: { 'content-type': 'text/html' } }
    case 'throttled':
      return throttled(fault.operation, fault.retryAfterSec)
    case 'reset':
    case 'hang':
    case 'truncated':
      return { ...answer, transmission: fault.kind }
    case 'slow_drip':
      return { ...answer, transmission: 'slow_drip', intervalMs: fault.intervalMs }
    case 'delay':
    case 'resent':
      return answer
  }
}

/** Each rail's gateway has its own format for this. */
function throttled(operation: Operation, retryAfterSec: number): Answer {
  const message = `Rate limit is exceeded. Try again in ${retryAfterSec} seconds.`
  const said = operation.startsWith('orange_')
    ? orangeError('TOO_MANY_REQUESTS')
    : { status: 429, body: { statusCode: 429, message } }
  return { ...said, headers: { 'retry-after': `${retryAfterSec}` } }
}

export async function deliver(reply: FastifyReply, answer: Answer, hanging: HangingSockets): Promise<void> {
  const socket = reply.raw.socket
  switch (answer.transmission) {
    case 'reset':
      reply.hijack()
      socket?.resetAndDestroy()
      return
    case 'hang':
      reply.hijack()
      if (socket !== null) hanging.hold(socket)
      return
    case 'truncated': {
      const payload = startRaw(reply, answer, MISSING_BYTES)
      reply.raw.write(payload.subarray(0, Math.ceil(payload.length / 2)))
      socket?.destroySoon()
      return
    }
    case 'slow_drip':
      await drip(reply, startRaw(reply, answer, 0), answer.intervalMs ?? 1)
      return
    case undefined:
      sendWhole(reply, answer)
  }
}

function sendWhole(reply: FastifyReply, answer: Answer): void {
  reply.code(answer.status)
  if (answer.body === undefined) {
    if (answer.headers !== undefined) reply.headers(answer.headers)
    reply.send()
    return
  }
  reply.headers({ 'content-type': 'application/json', ...answer.headers }).send(encode(answer))
}

function startRaw(reply: FastifyReply, answer: Answer, missingBytes: number): Buffer {
  reply.hijack()
  const payload = Buffer.from(encode(answer))
  reply.raw.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': payload.length + missingBytes,
    ...answer.headers,
  })
  reply.raw.flushHeaders()
  return payload
}

async function drip(reply: FastifyReply, payload: Buffer, intervalMs: number): Promise<void> {
  for (const byte of payload) {
    await sleep(intervalMs, undefined, { ref: false })
    if (reply.raw.destroyed) return
    reply.raw.write(Buffer.of(byte))
  }
  reply.raw.end()
}

function encode(answer: Answer): string {
  if (answer.body === undefined) return ''
  return typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
}
