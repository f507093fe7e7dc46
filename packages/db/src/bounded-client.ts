import type { Duplex } from 'node:stream'
import { callbackify } from 'node:util'
import pg from 'pg'
import { DatabaseAwayError } from './away.ts'
import { monotonicMs } from './clock.ts'
import type { Server } from './server-list.ts'
import { readOnlyError, type Servers, watchReadOnly } from './servers.ts'

/** The server has become a standby; a new connection may reach the primary. */
const READ_ONLY = '25006'

/** The time since which the peer is known to be silent, shared by all connections of one database. */
export interface Silence {
  sinceMs: number
}

export interface BoundedClientConfig extends pg.ClientConfig {
  /** Time in ms after which an unanswered statement ends its connection. */
  readonly queryTimeoutMs: number
  readonly silence: Silence
  /** If the address names several servers. Each connection then chooses one. */
  readonly servers?: Servers | undefined
}

/**
 * A client whose every statement ends in time, including BEGIN and COMMIT. The server's own time-outs do not
 * fire when the server or the network falls silent. A connection that owes an answer is in an unknown state.
 * It is destroyed and all its statements fail; pg's own `query_timeout` would return it to the pool.
 */
export class BoundedClient extends pg.Client {
  readonly #queryTimeoutMs: number
  readonly #silence: Silence
  readonly #servers: Servers | undefined
  readonly #isReadOnly: () => boolean
  #server: Server | null = null
  #connectedAtMs = 0
  #owed = 0
  #heardAtMs = monotonicMs()
  #lost: Error | null = null
  #dropped = false

  constructor(config: BoundedClientConfig) {
    const { servers } = config
    super(servers === undefined ? config : { ...config, connectionTimeoutMillis: servers.tryTimeoutMs })
    this.#queryTimeoutMs = config.queryTimeoutMs
    this.#silence = config.silence
    this.#servers = servers
    this.#isReadOnly = servers === undefined ? () => false : watchReadOnly(this)
    this.on('connect', () => this.#hear())
    // Without a listener, a connection that breaks at work would end the process.
    this.on('error', (error) => {
      this.#lost ??= error
    })
  }

  // pg declares `connect` by overloads, which a subclass cannot restate. Our callers use the promise, pg-pool the callback.
  // oxlint-disable-next-line typescript/no-explicit-any
  override connect(...args: any[]): any {
    const servers = this.#servers
    if (servers === undefined) return super.connect(...(args as []))
    const [callback] = args as [((error: Error | null, client: this) => void)?]
    const connectToOne = () => this.#connectToChosen(servers)
    if (callback === undefined) return connectToOne()
    callbackify(connectToOne)(callback)
  }

  async #connectToChosen(servers: Servers): Promise<this> {
    const server = await servers.choose()
    this.#server = server
    this.host = server.host
    this.port = server.port
    this.#connectedAtMs = monotonicMs()
    try {
      await super.connect()
    } catch (error) {
      throw servers.failed(server, error)
    }
    if (this.#isReadOnly()) {
      void this.end()
      throw servers.failed(server, readOnlyError())
    }
    servers.add(this, server)
    this.once('end', () => servers.remove(this))
    return this
  }

  // pg declares `query` by overloads, which a subclass cannot restate. Our callers use only the promise.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    let answered = false
    // setImmediate lets Node read answers that arrived while this process was busy.
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
    return this.#ask(args).then(
      (answer) => {
        end()
        return answer
      },
      (error: unknown) => {
        end()
        if (error instanceof pg.DatabaseError && error.code === READ_ONLY) this.#leaveReadOnly()
        // The trace begins in the parser of answers. The caller's is of more use.
        if (error instanceof Error) Error.captureStackTrace(error)
        throw this.#failureOf(error)
      },
    )
  }

  /**
   * Calls pg with a callback. The promise that pg makes itself keeps the values of each statement until a full collection
   * (docs/decisions/0038).
   */
  #ask([asked, values]: unknown[]): Promise<unknown> {
    const config = typeof asked === 'string' ? { text: asked, values } : asked
    return new Promise((resolve, reject) => {
      super.query(config as pg.QueryConfig, (error: Error | null, answer: unknown) => {
        if (error === null) resolve(answer)
        else reject(error)
      })
    })
  }

  /** Time in ms that an answer has been owed without any data from the peer; 0 if none is owed. */
  silentForMs(): number {
    return this.#owed === 0 ? 0 : monotonicMs() - this.#heardAtMs
  }

  /** Whether it holds plans that the server refuses since a migration. */
  isStale(): boolean {
    return false
  }

  /**
   * Whether it was dropped, is stale, its server takes no writes, or the peer fell silent on another connection
   * after it last sent data on this one.
   */
  isSuspect(): boolean {
    return this.#dropped || this.isStale() || this.#takesNoWrites() || this.#heardAtMs < this.#silence.sinceMs
  }

  /** Closes the socket without a Terminate message, because the peer may never answer. */
  drop(reason?: Error): void {
    this.#dropped = true
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection
    stream.destroy(reason)
  }

  #failureOf(error: unknown): unknown {
    if (this.#lost === null || error instanceof pg.DatabaseError) return error
    return new DatabaseAwayError('connection_lost', this.#lost.message, this.#lost)
  }

  #takesNoWrites(): boolean {
    if (this.#servers === undefined || this.#server === null) return false
    return this.#isReadOnly() || this.#servers.hasRefusedWritesSince(this.#server, this.#connectedAtMs)
  }

  #leaveReadOnly(): void {
    if (this.#server !== null) this.#servers?.leaveReadOnly(this.#server)
    this.drop()
  }

  #hear(): void {
    this.#heardAtMs = monotonicMs()
  }

  #giveUp(): void {
    this.#silence.sinceMs = Math.max(this.#silence.sinceMs, this.#heardAtMs)
    const message = `the database did not answer within ${this.#queryTimeoutMs} ms`
    if (this.#server !== null) this.#servers?.leave(this.#server)
    this.drop(new DatabaseAwayError('query_timeout', message))
  }
}
