import type pg from 'pg'
import { BoundedClient, type BoundedClientConfig } from './bounded-client.ts'
import { monotonicMs } from './clock.ts'
import { isStalePlan } from './stale-plan.ts'

/** Distinct statement texts that get a name. Later texts run unnamed, so the server's memory stays bounded. */
const NAMES_MAX = 512

const names = new Map<string, string>()

/** The statements that this process has prepared so far. */
export const preparedTexts = (): string[] => [...names.keys()]

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= NAMES_MAX) return undefined
  const name = `mp_${names.size}`
  names.set(text, name)
  return name
}

/** What the connections of one database know of its schema. */
export interface Plans {
  /** Connections that are older hold plans that the server refuses since a migration. */
  staleSinceMs: number
  readonly onStale: (error: Error) => void
}

export interface NamedClientConfig extends BoundedClientConfig {
  readonly plans: Plans
}

/**
 * Prepares each statement once per connection. Kysely never names its statements, and PostgreSQL parses and plans an
 * unnamed one on every call, which costs a third of a short query.
 *
 * The server refuses a prepared statement for good once a migration has changed the type of its result. Then this
 * connection and all older ones are replaced, and the statement runs once more without a name. The refused statement
 * had not begun, so nothing is written twice. Inside a transaction the error goes to the caller, because the server
 * has aborted the transaction.
 */
export class NamedClient extends BoundedClient {
  readonly #plans: Plans
  readonly #openedAtMs = monotonicMs()

  constructor(config: NamedClientConfig) {
    super(config)
    this.#plans = config.plans
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    const [text, values] = args as unknown[]
    if (args.length === 2 && typeof text === 'string' && Array.isArray(values)) {
      const name = nameOf(text)
      if (name !== undefined) return this.#queryPrepared(name, text, values)
    }
    return super.query(...(args as Parameters<pg.Client['query']>))
  }

  override isStale(): boolean {
    return this.#openedAtMs < this.#plans.staleSinceMs
  }

  async #queryPrepared(name: string, text: string, values: unknown[]): Promise<unknown> {
    const isAlone = this.getTransactionStatus() !== 'T'
    try {
      return await super.query({ name, text, values })
    } catch (error) {
      if (!isStalePlan(error)) throw error
      this.#plans.staleSinceMs = monotonicMs()
      this.#plans.onStale(error)
      if (!isAlone) throw error
      return super.query({ text, values })
    }
  }
}
