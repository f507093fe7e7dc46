import { findViolations } from '@merchant-payments/testing/invariants'
import fc from 'fast-check'
import { startTestApi, type TestApi } from '../../harness.ts'
import { withMockOrange } from '../../mock-orange.ts'
import { openBooks } from '../books/state.ts'
import { Dice, DICE_COUNT, DIE_SIDES } from '../steps/dice.ts'
import { stepNames, weightOf } from '../steps/index.ts'
import { comeToRest, LATE_MS } from '../steps/world.ts'
import { type Model, StepCommand } from './command.ts'
import { compareLists } from './lists.ts'
import { Service } from './service.ts'
import type { Tally } from './tally.ts'

/** Outcomes of one sequence, without steps that were impossible. */
const STEPS_MAX = 600
/** The objects of a sequence, and the years that pass in it, end with its service. */
const SEQUENCES_PER_SERVICE = 20
const DAY_MS = 24 * 60 * 60 * 1_000
const MOVEMENTS_MAX = 100_000

export interface Extent {
  readonly seed: number
  readonly stepsMin: number
  /** Time limit for shrinking a failing sequence. */
  readonly shrinkMs: number
}

export interface Report {
  /** The smallest sequence that was found after which books and service differ. */
  readonly failure: Error | null
  readonly violations: readonly string[]
}

/** Sequences of random steps, of one seed after another, until enough steps were taken or a sequence fails. */
export async function runSequences({ seed, stepsMin, shrinkMs }: Extent, tally: Tally): Promise<Report> {
  const runs = new Runs(tally)
  let failure: Error | null = null
  for (let next = seed; tally.steps < stepsMin && failure === null; next += 1)
    failure = await runOne(next, runs, shrinkMs)
  return { failure, violations: await runs.end(failure === null) }
}

async function runOne(seed: number, runs: Runs, shrinkMs: number): Promise<Error | null> {
  const property = fc.asyncProperty(commandsOf(runs.tally), (commands) => runs.run(commands))
  const one = { seed, numRuns: 1, unbiased: true }
  const { failed, counterexamplePath: path } = await fc.check(property, { ...one, endOnFailure: true })
  if (!failed || path === null) return null
  await fc.check(property, { ...one, path, plugins: [fc.interruptAfterTimeLimit(shrinkMs)] })
  const { transcript = [], error } = runs.failed ?? {}
  const lines = [
    `RANDOM_SEED=${seed} MODEL_STEPS=1 makes it again, and smaller:`,
    ...transcript,
    String(error),
  ]
  return new Error(lines.join('\n'), { cause: error })
}

const commandsOf = (tally: Tally) =>
  fc.commands(
    [
      fc
        .record({
          name: fc.oneof(
            ...stepNames.map((name) => ({ arbitrary: fc.constant(name), weight: weightOf(name) })),
          ),
          who: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const),
          dice: fc.array(fc.nat(DIE_SIDES - 1), { minLength: DICE_COUNT, maxLength: DICE_COUNT }),
        })
        .map((step) => new StepCommand(step, tally)),
    ],
    { maxCommands: STEPS_MAX, size: 'max' },
  )

type Commands = Parameters<typeof fc.asyncModelRun<Model, Service, boolean, Model>>[1]

class Runs {
  readonly tally: Tally
  /** The run that failed last, which is the smallest. */
  failed: { readonly transcript: readonly string[]; readonly error: unknown } | undefined
  #api: TestApi | undefined
  #count = 0
  readonly #violations: string[] = []

  constructor(tally: Tally) {
    this.tally = tally
  }

  /** One sequence, of two merchants of its own, to its rest. */
  async run(commands: Commands): Promise<void> {
    if (this.#count % SEQUENCES_PER_SERVICE === 0) await this.#renew()
    this.#count += 1
    if (this.#api === undefined) throw new Error('no service was started')
    const service = new Service(this.#api)
    const books = openBooks([`acme${this.#count}`, `globex${this.#count}`])
    const model: Model = { books, asked: [], service }
    try {
      await fc.asyncModelRun(() => ({ model, real: service }), commands)
      await comeToRest({ books, service, dice: new Dice([0]) })
      for (const shop of books.shops.values()) await service.compareEvents(shop)
      await compareLists(model)
    } catch (error) {
      this.failed = { transcript: service.transcript, error }
      throw error
    }
  }

  /** @returns what the invariants of packages/testing say of every service that was used to the end of its sequences */
  async end(isJudged: boolean): Promise<readonly string[]> {
    await this.#stop(isJudged)
    return this.#violations
  }

  async #renew(): Promise<void> {
    await this.#stop(this.failed === undefined)
    this.#api = await startService()
  }

  async #stop(isJudged: boolean): Promise<void> {
    const api = this.#api
    this.#api = undefined
    if (api === undefined) return
    if (isJudged) {
      const { debits, credits } = await api.mock.control.getLedger({ limit: MOVEMENTS_MAX })
      const { databaseUrl } = api
      const evidence = { databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
      this.#violations.push(...(await findViolations(evidence)))
    }
    await api.stop()
  }
}

/** The service with all its rails, in a time that stands still; payers decide when a sequence says so. */
async function startService(): Promise<TestApi> {
  const api = await withMockOrange(await startTestApi({ clock: 'still' }))
  await api.mock.control.updateSettings({
    mtn: {
      refusalsAt: 'submit',
      promptTimeoutMs: DAY_MS,
      lateSuccessAfterMs: LATE_MS,
      tokenTtlSec: DAY_MS / 1_000,
    },
    orange: { validityMs: DAY_MS },
  })
  return api
}
