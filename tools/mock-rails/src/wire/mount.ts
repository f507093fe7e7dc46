import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rails } from '../rails.ts'
import { deliver, spoilAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { Call } from './calls.ts'
import type { Fault, Operation } from './faults.ts'

export type WireRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly headers: FastifyRequest['headers']
  readonly body: string
}

export type Handle = (request: WireRequest) => Answer | Promise<Answer>

export type WireRoute = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly operation: Operation
  readonly handle: Handle
  /** Reads the reference from the body for the call log, and removes credentials. */
  readonly readBody?: (body: string) => { readonly reference: string | null; readonly shown: string }
}

type Origin = Pick<WireRoute, 'readBody'> & { readonly operation: Call['operation'] }

/** Serves one operation of a rail: runs due charges, then applies a queued fault, then answers. */
export function mount(app: FastifyInstance, rails: Rails, route: WireRoute): void {
  app.route({
    method: route.method,
    url: route.url,
    onRequest: (request, reply, done) => {
      const next = rails.faults.peek(route.operation)
      if (next?.kind !== 'reset' || next.when !== 'before') return done()
      // Resets the connection before any byte of the body is read.
      const fault = rails.faults.take(route.operation)
      const answer: Answer = { status: 0, transmission: 'reset' }
      record(rails, request, route, answer, fault)
      void deliver(reply, answer, rails.hanging)
    },
    handler: async (request, reply) => {
      rails.schedule.runDue()
      const fault = rails.faults.take(route.operation)
      const answer = await answerWith(fault, route.handle, toWireRequest(request))
      record(rails, request, route, answer, fault)
      await deliver(reply, answer, rails.hanging)
      return reply
    },
  })
}

async function answerWith(fault: Fault | undefined, handle: Handle, request: WireRequest): Promise<Answer> {
  if (fault === undefined) return handle(request)
  if (fault.kind === 'resent') {
    await handle(request)
    return handle(request)
  }
  const isBefore = 'when' in fault && fault.when === 'before'
  if (fault.kind === 'delay') {
    if (isBefore) await sleep(fault.delayMs, undefined, { ref: false })
    const answer = await handle(request)
    if (!isBefore) await sleep(fault.delayMs, undefined, { ref: false })
    return answer
  }
  return spoilAnswer(isBefore ? { status: 0 } : await handle(request), fault)
}

export function record(
  rails: Pick<Rails, 'calls' | 'clock'>,
  request: FastifyRequest,
  origin: Origin,
  answer: Answer,
  fault?: Fault,
): void {
  const isSilent = answer.transmission === 'reset' || answer.transmission === 'hang'
  const body = typeof request.body === 'string' ? request.body : null
  const read = body === null ? undefined : origin.readBody?.(body)
  rails.calls.append({
    operation: origin.operation,
    method: request.method,
    path: request.url,
    reference:
      read?.reference ??
      headerOf(request.headers, 'x-reference-id') ??
      paramsOf(request)['reference'] ??
      null,
    callbackUrl: headerOf(request.headers, 'x-callback-url'),
    body: read?.shown ?? body,
    status: isSilent ? null : answer.status,
    outcome: answer.transmission ?? 'answered',
    why: answer.why ?? null,
    fault: fault?.kind ?? null,
    atMs: rails.clock.now(),
  })
}

export function headerOf(headers: WireRequest['headers'], name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

function toWireRequest(request: FastifyRequest): WireRequest {
  return {
    params: paramsOf(request),
    headers: request.headers,
    body: typeof request.body === 'string' ? request.body : '',
  }
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  return (request.params ?? {}) as Record<string, string>
}
