import { createRandom } from '@merchant-payments/testing/random'
import { settle, type TestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import type { TestAnswer } from '../send.ts'
import { createSession } from '../sessions.ts'
import { createIntent } from '../steps.ts'
import { type Callers, createCallers } from './callers.ts'
import { faultsOf } from './judge.ts'
import { type FuzzRequest, requestOf } from './requests.ts'
import { targets } from './targets.ts'

const AT_ONCE = 16
/** Enough succeeded payments for refunds. */
const SETTLED_EVERY = 300
const MERCHANTS = ['acme', 'globex'] as const
const FAULTS_SHOWN = 20
const BYTES_SHOWN = 700

export interface FuzzReport {
  /** The first few. */
  readonly faults: string[]
  readonly statuses: Set<number>
  /** Counts of valid HTTP requests, by the name of the target. */
  readonly statusesOf: Map<string, Set<number>>
  unanswered: number
}

/** Sends this many random requests, and checks every answer. */
export async function fuzz(api: TestApi, seed: number, requests: number): Promise<FuzzReport> {
  const report: FuzzReport = { faults: [], statuses: new Set(), statusesOf: new Map(), unanswered: 0 }
  const random = createRandom(seed)
  const callers = await knownShops(api)
  const secrets = secretsOf(api)
  let left = requests
  const client = async () => {
    for (let nth = left--; nth > 0; nth = left--) {
      if (nth % SETTLED_EVERY === 0) await settle(api)
      const draw = random.fork(nth)
      const caller = await callers.get(draw.pick(MERCHANTS))
      const request = requestOf(draw, draw.pick(targets), caller)
      judge(report, request, await sendRaw(api.origin, request.bytes), { secrets, callers })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return report
}

/** Text that no answer may contain. */
const secretsOf = ({ databaseUrl, wire, mock }: TestApi): string[] => [
  databaseUrl,
  new URL(databaseUrl).pathname.slice(1),
  wire.url,
  mock.wireUrl,
  'mock-mtn-api-key',
  'mock-collection-primary',
]

async function knownShops(api: TestApi): Promise<Callers> {
  const callers = createCallers(api, MERCHANTS)
  for (const merchant of MERCHANTS) {
    callers.learn(merchant, await createIntent(api, '', { merchant }))
    callers.learn(merchant, await createSession(api, '', { merchant }))
  }
  return callers
}

function judge(
  report: FuzzReport,
  request: FuzzRequest,
  answers: readonly TestAnswer[],
  { secrets, callers }: { secrets: readonly string[]; callers: Callers },
): void {
  const { target, method, merchant, bytes, mayBeCut } = request
  const faults = answers.flatMap((answer) => [
    ...faultsOf(answer, method, secrets),
    ...(answer.status < 300 ? callers.learn(merchant, answer.body) : []),
  ])
  if (answers.length === 0) report.unanswered += 1
  if (answers.length === 0 && !mayBeCut) faults.push('got no answer')
  for (const { status } of answers) report.statuses.add(status)
  if (!mayBeCut) {
    const seen = report.statusesOf.get(target.name) ?? new Set()
    report.statusesOf.set(target.name, seen)
    for (const { status } of answers) seen.add(status)
  }
  const shown = JSON.stringify(
    bytes
      .subarray(0, BYTES_SHOWN)
      .toString('latin1')
      .replace(/Bearer \S+/, 'Bearer …'),
  )
  for (const fault of faults) {
    if (report.faults.length < FAULTS_SHOWN) report.faults.push(`${fault}: ${target.name} ${shown}`)
  }
}
