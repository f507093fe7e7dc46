import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Connection, requestOf } from '../load/connection.ts'
import { expectStatus, type Merchant } from '../load/merchant.ts'
import { FRESH, type NoiseRequest, startNoise, type Tally } from '../load/noise.ts'
import { CALLBACK_RAIL, INSTANT_RAIL } from '../system/deployment.ts'
import { createForm } from './create.ts'
import { countErased, forgetWaiting, seedCustomer, seedWaiting } from './neighbour-rows.ts'

/**
 * Starts a noise.
 *
 * @returns a function that ends it
 */
export type Disturb = (set: number) => Promise<() => Promise<void>>

const FLOOD_CONNECTIONS = 256
const CALLBACK_CONNECTIONS = 64
const LIST_CONNECTIONS = 2
/** Spec 4.2: the most rows of a page. */
const PAGE_MAX = 100

const ERASURE_TRIES = 3
const ERASURE_TIMEOUT_MS = 600_000
const POLL_MS = 100

/** The neighbour's noises: the name on the command line, and the title in the figures. */
const noises = {
  flood: 'a neighbour floods creates',
  erasure: "a neighbour's customer is erased",
  lists: 'a neighbour lists its biggest invoices',
  rail: 'a rail hangs with its backlog due',
  callbacks: 'anonymous callbacks flood',
} as const

export type NoiseName = keyof typeof noises
export const noiseNames = Object.keys(noises) as NoiseName[]

export function noisesOf(bench: Bench, neighbour: Merchant): ReadonlyMap<string, Disturb> {
  const all: Readonly<Record<NoiseName, Disturb>> = {
    flood: flood(bench, neighbour),
    erasure: erase(bench, neighbour),
    lists: list(bench, neighbour),
    rail: hang(bench),
    callbacks: callBack(bench),
  }
  return new Map(bench.noises.map((name) => [noises[name], all[name]]))
}

const SHED = '503'

/**
 * Sends a request repeatedly.
 *
 * @param wanted its status; the service may also shed the request
 */
async function repeat(request: NoiseRequest, wanted: string, count: (done: number) => void) {
  const noise = await startNoise(request)
  return async () => {
    const tally: Tally = await noise.stop()
    const others = Object.keys(tally).filter((status) => status !== wanted && status !== SHED)
    if (others.length > 0) throw new Error(`unexpected answers to a neighbour: ${JSON.stringify(tally)}`)
    count(tally[wanted] ?? 0)
  }
}

function flood({ system, counted }: Bench, neighbour: Merchant): Disturb {
  const request = neighbour.post('/v1/payment_intents', createForm(INSTANT_RAIL), FRESH)
  return () =>
    repeat({ port: system.apiPort, connections: FLOOD_CONNECTIONS, request }, '201', (done) => {
      counted.neighbour.intents += done
    })
}

function list({ system }: Bench, neighbour: Merchant): Disturb {
  const request = neighbour.get(`/v1/invoices?limit=${PAGE_MAX}`)
  return () =>
    repeat({ port: system.apiPort, connections: LIST_CONNECTIONS, request }, '200', () => undefined)
}

/** Bytes of a body of small numbers. The service parses no longer one, and numbers cost a parser most. */
const NUMBERS_BYTES = 4_000

/**
 * Sends callbacks as anyone who finds the address can: half with unknown references, and half with a body of numbers and
 * no reference.
 */
function callBack({ system }: Bench): Disturb {
  const path = `/provider/${CALLBACK_RAIL}/callback`
  const numbers = `{"a":[${'1,'.repeat(NUMBERS_BYTES / 2)}1]}`
  const requests = [
    requestOf('POST', `${path}?ref=${FRESH}`, {}),
    requestOf('POST', path, { 'Content-Type': 'application/json' }, numbers),
  ]
  const connections = CALLBACK_CONNECTIONS / requests.length
  return async () => {
    const ends = await Promise.all(
      requests.map((request) =>
        repeat({ port: system.apiPort, connections, request }, '200', () => undefined),
      ),
    )
    return async () => {
      await Promise.all(ends.map((end) => end()))
    }
  }
}

/** Lasts from the request to the event that ends the erasure, over any number of processes and passes. */
function erase({ system, counted, plan }: Bench, neighbour: Merchant): Disturb {
  const { client } = system.database
  return async (set) => {
    const customer = await seedCustomer(client, set, plan.neighbourPayments)
    await delay(plan.neighbourPauseMs)
    counted.neighbour.seededIntents += plan.neighbourPayments
    counted.neighbour.customers += 1
    const [connection] = await neighbour.connect(1)
    if (connection === undefined) throw new Error('no connection')
    const answer = untilErased(connection, neighbour.delete(`/v1/customers/${customer}`))
    return async () => {
      const { status } = await answer
      connection.close()
      if (status !== 200) {
        console.error(`a customer of ${plan.neighbourPayments} payments was not erased: ${status}`)
        return
      }
      counted.neighbour.erasures += 1
      const deadlineMs = nowMs() + ERASURE_TIMEOUT_MS
      while ((await countErased(client)) < counted.neighbour.erasures) {
        if (nowMs() > deadlineMs) throw new Error(`an erasure did not end within ${ERASURE_TIMEOUT_MS} ms`)
        await delay(POLL_MS)
      }
    }
  }
}

/** A service that cannot erase this much answers with an error. The effect on the others is measured anyway. */
async function untilErased(connection: Connection, request: string) {
  for (let tries = 1; ; tries += 1) {
    const reply = await connection.exchange(request)
    if (reply.status < 500) expectStatus(reply, 200)
    if (reply.status === 200 || tries === ERASURE_TRIES) return reply
  }
}

function hang({ system, plan }: Bench): Disturb {
  const { client } = system.database
  return async (set) => {
    await seedWaiting(client, set, plan.neighbourPayments)
    await delay(plan.neighbourPauseMs)
    return () => forgetWaiting(client)
  }
}
