import { generateKeyPair } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate } from '@merchant-payments/db'
import { type Child, ownServers } from '@merchant-payments/stack'
import { createDeck, type Random } from '@merchant-payments/testing/random'
import type { Disturbance, Planned } from './plan.ts'
import { type System, writeNewKey } from './system.ts'

interface DisturbOptions {
  readonly system: System
  readonly random: Random
  readonly say: (line: string) => void
  readonly peaks: Peaks
}

interface DisturbDeps extends DisturbOptions {
  readonly nextVictim: () => Child
}

/** How long a killed process stays away, as with an orchestrator that restarts it. */
const AWAY_MS = 2_000
/** From the death of the primary to the promotion, as with a program that watches it. */
const UNNOTICED_MS = 1_000

/** Makes each disturbance when it is due, or once the one before has ended. */
export async function disturb(plan: readonly Planned[], options: DisturbOptions): Promise<void> {
  const { apis, workers } = options.system.stack
  // Every process is killed once before any is killed again.
  const deps = { ...options, nextVictim: createDeck(options.random, [...apis, ...workers]) }
  const startedAtMs = performance.now()
  for (const { atMs, what } of plan) {
    await delay(Math.max(0, startedAtMs + atMs - performance.now()))
    deps.say(what)
    await actions[what](deps)
  }
}

const actions: Record<Disturbance, (deps: DisturbDeps) => Promise<void>> = {
  'rolling restart': async ({ system: { stack }, peaks }) => {
    for (const child of [...stack.workers, ...stack.apis]) await restart(child, peaks)
  },
  // docs/operations.md, "Upgrade".
  upgrade: async ({ system: { stack, replicas }, say, peaks }) => {
    const report = (line: string) => say(`  ${line}`)
    await migrate(replicas.url, { phase: 'expand', report })
    for (const worker of stack.workers) await restart(worker, peaks, ownServers.worker)
    for (const api of stack.apis) await restart(api, peaks, ownServers.api)
    await migrate(replicas.url, { phase: 'contract', report })
    say('  every process is of this code')
  },
  kill: async ({ nextVictim, say, peaks }) => {
    const child = nextVictim()
    say(`  the ${child.name}`)
    await peaks.note(child)
    child.kill('SIGKILL')
    await child.exited
    await delay(AWAY_MS)
    await child.restart({})
  },
  rotation: async ({ system: { stack }, peaks }) => {
    await writeNewKey(stack, async () => {
      const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
      return privateKey.export({ format: 'jwk' })
    })
    for (const child of [...stack.apis, ...stack.workers]) await restart(child, peaks)
  },
  failover: async ({ system: { replicas }, say }) => {
    await replicas.primary().kill()
    await delay(UNNOTICED_MS)
    await replicas.promote()
    say('  the standby was promoted')
    await replicas.rejoin()
    say('  the old primary is its synchronous standby')
  },
}

async function restart(child: Child, peaks: Peaks, program?: string): Promise<void> {
  await peaks.note(child)
  await child.restart({}, program)
}

/** The largest resident memory of each kind of process. Linux forgets it with the process, so it is read before. */
export class Peaks {
  readonly #mb = new Map<string, number>()

  async note({ name, pid }: Child): Promise<void> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    const kb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
    this.#mb.set(name, Math.max(this.#mb.get(name) ?? 0, Math.round(kb / 1_024)))
  }

  all(): [string, number][] {
    return [...this.#mb]
  }
}
