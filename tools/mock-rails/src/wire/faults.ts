import { z } from 'zod'

/** The targets of faults: one name per operation of the rails, independent of its path. */
export const OPERATIONS = [
  'provisioning',
  'token',
  'submit',
  'status',
  'accountholder',
  'transfer',
  'transfer_status',
  'orange_token',
  'orange_submit',
  'orange_status',
] as const

export type Operation = (typeof OPERATIONS)[number]

const MAX_QUEUED_FAULTS = 100
const MAX_FAULT_TIMES = 1_000_000

const aim = {
  operation: z.enum(OPERATIONS),
  times: z.number().int().min(1).max(MAX_FAULT_TIMES).default(1),
}

/** before: the rail never sees the request. after: the rail acts on it, and only the answer is affected. */
const when = z.enum(['before', 'after']).default('before')

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...aim,
    kind: z.literal('http'),
    when,
    status: z.number().int().min(200).max(599),
    body: z.string().max(65_536).optional(),
  }),
  z.strictObject({ ...aim, kind: z.literal('delay'), when, delayMs: z.number().int().min(0).max(600_000) }),
  z.strictObject({ ...aim, kind: z.literal('reset'), when }),
  z.strictObject({ ...aim, kind: z.literal('hang'), when }),
  z.strictObject({ ...aim, kind: z.literal('html'), when }),
  z.strictObject({
    ...aim,
    kind: z.literal('throttled'),
    when,
    retryAfterSec: z.number().int().min(0).max(86_400),
  }),
  // These two change the rail's own answer, so the rail has always acted on the request.
  z.strictObject({ ...aim, kind: z.literal('truncated') }),
  z.strictObject({
    ...aim,
    kind: z.literal('slow_drip'),
    intervalMs: z.number().int().min(1).max(10_000),
  }),
  // The rail gets the request twice, and the merchant gets the second answer. For an accepted submit, that is
  // a duplicate.
  z.strictObject({ ...aim, kind: z.literal('resent') }),
])

export type Fault = z.output<typeof faultSchema>
export type FaultInput = z.input<typeof faultSchema>

export type Faults = {
  readonly add: (fault: Fault) => boolean
  readonly peek: (operation: Operation) => Fault | undefined
  /** Takes the fault for the next request of this operation, and counts it as used once. */
  readonly take: (operation: Operation) => Fault | undefined
  readonly pending: () => Fault[]
  readonly clear: () => void
}

export function createFaults(): Faults {
  const queues = new Map<Operation, Fault[]>()
  return {
    add: (fault) => {
      const queue = queues.get(fault.operation) ?? []
      if (queue.length >= MAX_QUEUED_FAULTS) return false
      queues.set(fault.operation, [...queue, fault])
      return true
    },
    peek: (operation) => queues.get(operation)?.[0],
    take: (operation) => {
      const [fault, ...rest] = queues.get(operation) ?? []
      if (fault === undefined) return undefined
      queues.set(operation, fault.times > 1 ? [{ ...fault, times: fault.times - 1 }, ...rest] : rest)
      return fault
    },
    pending: () => [...queues.values()].flat(),
    clear: () => queues.clear(),
  }
}
