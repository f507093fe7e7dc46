import type { Duplex } from 'node:stream'
import pg from 'pg'
import { DatabaseAwayError } from './away.ts'
import { monotonicMs } from './clock.ts'

/** The server has become a standby: a new connection may find the primary. */
const READ_ONLY = '25006'

/** Since when the peer is known to have been silent, for all connections of one database. */
export interface Silence {
  sinceMs: number
}

export interface BoundedClientConfig extends pg.ClientConfig {
  /** A statement that is not answered within this ends its connection. */
  readonly queryTimeoutMs: number
  readonly silence: Silence
}

/**
 * A client whose every statement ends in time, BEGIN and COMMIT among them. The server's time-outs do not help when the
 * server, or the network before it, falls silent. A connection that owes an answer is in an unknown state, so it is
 * destroyed, and all its statements fail; pg's own `query_timeout` would give it back to the pool.
 */
export class BoundedClient extends pg.Client {
  readonly #queryTimeoutMs: number
  readonly #silence: Silence
  #owed = 0
  #heardAtMs = monotonicMs()
  #lost: Error | null = null
  #dropped = false

  constructor(config: BoundedClientConfig) {
    super(config)
    this.#queryTimeoutMs = config.queryTimeoutMs
    this.#silence = config.silence
    this.on('connect', () => this.#hear())
    // Without a listener, a connection that breaks at work would end the process.
    this.on('error', (error) => {
      this.#lost ??= error
    })
  }

  // pg declares `query` by overloads, which a subclass cannot restate. Callers of ours take its promise.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    let answered = false
    // Answers that came while this process was busy are read before the connection is given up.
    const check = () => {
      if (!answered) this.#giveUp()
    }
    const timer = setTimeout(() => setImmediate(check), this.#queryTimeoutMs)
    if (this.#owed === 0) this.#hear()
    this.#owed += 1
    const end = () => {
      answered = true
      clearTimeout(timer)
      this.#owed -= 1
      this.#hear()
    }
    const result: Promise<unknown> = super.query(...(args as Parameters<pg.Client['query']>)) as never
    return result.then(
      (answer) => {
        end()
        return answer instanceof pg.Result ? detached(answer) : answer
      },
      (error: unknown) => {
        end()
        if (error instanceof pg.DatabaseError && error.code === READ_ONLY) this.drop()
        throw this.#failureOf(error)
      },
    )
  }

  /** How long an answer has been owed while nothing was heard; 0 when none is owed. */
  silentForMs(): number {
    return this.#owed === 0 ? 0 : monotonicMs() - this.#heardAtMs
  }

  /** Whether it was dropped, or the peer fell silent on another connection after it was last heard on this one. */
  isSuspect(): boolean {
    return this.#dropped || this.#heardAtMs < this.#silence.sinceMs
  }

  /** Ends the connection without a word to the peer, who may never answer. */
  drop(reason?: Error): void {
    this.#dropped = true
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection
    stream.destroy(reason)
  }

  /** What the server said, or what was wrong with the statement, stays as it is. */
  #failureOf(error: unknown): unknown {
    if (this.#lost === null || error instanceof pg.DatabaseError) return error
    return new DatabaseAwayError('connection_lost', this.#lost.message, this.#lost)
  }

  #hear(): void {
    this.#heardAtMs = monotonicMs()
  }

  #giveUp(): void {
    this.#silence.sinceMs = Math.max(this.#silence.sinceMs, this.#heardAtMs)
    const message = `the database did not answer within ${this.#queryTimeoutMs} ms`
    this.drop(new DatabaseAwayError('query_timeout', message))
  }
}

/**
 * The answer, with rows that nothing else refers to. What pg keeps of a query is freed by a full garbage collection alone,
 * and every young one until then would copy the rows with it: pauses of 20 ms where they are large.
 */
function detached(result: pg.Result): pg.QueryResult {
  const { rows, rowCount, command, oid, fields } = result
  result.rows = []
  return { rows, rowCount, command, oid, fields }
}
