import pg from 'pg'
import { asAway, DatabaseAwayError, isMisconfigured } from './away.ts'
import { monotonicMs } from './clock.ts'
import { connectWithin } from './connect-within.ts'
import { IDLE_IN_TRANSACTION_MS, KEEP_ALIVE_AFTER_MS, optionsOf, tcpSettings } from './silent-peer.ts'
import { parseServerList, type Server, type ServerList, ServerListError } from './server-list.ts'

/** docs/operations.md, processes. */
export const CONNECT_TIMEOUT_MS = 5_000

/**
 * A connection may try the server that was chosen last, then each server to find the one that takes writes, and then
 * that one. All of this fits into the time to connect, so a server that never answers takes a share of it.
 */
const tryTimeoutMs = (servers: ServerList, connectTimeoutMs: number): number =>
  Math.floor(connectTimeoutMs / (servers.length + 2))

/** The server ends a session whose machine is gone. Nobody else would release what a tool has locked. */
const ENDING: pg.ClientConfig = {
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  options: optionsOf(tcpSettings),
}

/** The connection that finds out which server takes writes. */
const SEARCH: pg.ClientConfig = { application_name: 'merchant-payments-search' }

/** The server that was chosen last took no connection. The next attempt asks all servers. */
class LeftServerError extends DatabaseAwayError {}

/** Connects, and once more if the server that was chosen last took no connection: another one may. */
export async function orElsewhere<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    if (!(error instanceof LeftServerError)) throw error
    return connect()
  }
}

interface Connection {
  drop(reason: Error): void
}

/**
 * The servers that an address names, for all pools of a process to share: what one of them finds helps the others.
 *
 * @returns undefined if it names one server
 */
export function openServers(address: string, connectTimeoutMs = CONNECT_TIMEOUT_MS): Servers | undefined {
  const list = parseServerList(address)
  return list === null ? undefined : new Servers(list, connectTimeoutMs)
}

/** The servers of one database, of which one takes writes. All connections of the database share it. */
export class Servers {
  readonly tryTimeoutMs: number
  readonly #all: ServerList
  readonly #refusedWritesAtMs = new Map<Server, number>()
  readonly #connections = new Map<Connection, Server>()
  #chosen: Server | null = null
  #finding: Promise<Server> | null = null
  /** Where the next search begins. */
  #next = 0

  constructor(all: ServerList, connectTimeoutMs: number) {
    this.#all = all
    this.tryTimeoutMs = tryTimeoutMs(all, connectTimeoutMs)
  }

  /** The server that took writes last, at once; otherwise the first that does. One search runs at a time. */
  async choose(): Promise<Server> {
    if (this.#chosen !== null) return this.#chosen
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null
    })
    return this.#finding
  }

  /** Ends the connection once another server has taken over, even if it waits for an answer. */
  add(connection: Connection, server: Server): void {
    this.#connections.set(connection, server)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  /** Makes the next connection ask all servers, this one last. */
  leave(server: Server): void {
    if (this.#chosen !== server) return
    this.#chosen = null
    this.#next = (this.#all.indexOf(server) + 1) % this.#all.length
  }

  /** Leaves a server that has become a standby. Its connections are not used again. */
  leaveReadOnly(server: Server): void {
    this.#refusedWritesAtMs.set(server, monotonicMs())
    this.leave(server)
  }

  /** Whether the server refused a write after this time. */
  hasRefusedWritesSince(server: Server, sinceMs: number): boolean {
    return (this.#refusedWritesAtMs.get(server) ?? -Infinity) >= sinceMs
  }

  /** The failure of a connection to the chosen server, which is left. */
  failed(server: Server, cause: unknown): unknown {
    this.leave(server)
    if (isMisconfigured(cause)) return cause
    return new LeftServerError(
      'connect_failed',
      cause instanceof Error ? cause.message : String(cause),
      cause,
    )
  }

  async #find(): Promise<Server> {
    const inOrder = [...this.#all.slice(this.#next), ...this.#all.slice(0, this.#next)]
    const { server, client } = await firstWritable(inOrder, SEARCH, this.tryTimeoutMs)
    void client.end()
    this.#chosen = server
    for (const [connection, at] of this.#connections) if (at !== server) connection.drop(takenOverError())
    return server
  }
}

/**
 * Connects as a tool does, with one connection: to the server that the address names, or to the first of its servers
 * that takes writes.
 */
export async function connectTo(
  address: string,
  config: pg.ClientConfig,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): Promise<pg.Client> {
  const list = readServerList(address)
  if (list !== null) return (await firstWritable(list, config, tryTimeoutMs(list, connectTimeoutMs))).client
  const client = makeClient(config, address)
  await connectWithin(client, connectTimeoutMs).catch((error: unknown) => {
    throw asAway(error)
  })
  return client
}

/**
 * Works with a connection of a tool, and ends it.
 *
 * @throws DatabaseAwayError if there is no connection, or if it breaks meanwhile
 */
export async function withConnection<T>(
  address: string,
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectTo(address, config)
  const losses: Error[] = []
  client.on('error', (error) => losses.push(error))
  try {
    return await work(client)
  } catch (error) {
    const [lost] = losses
    if (lost === undefined || error instanceof pg.DatabaseError) throw error
    throw new DatabaseAwayError('connection_lost', lost.message, lost)
  } finally {
    await client.end()
  }
}

function makeClient(config: pg.ClientConfig, url: string): pg.Client {
  const client = new pg.Client({ ...ENDING, ...config, connectionString: url })
  // A connection that breaks would end the process. One that breaks at work fails its statement too.
  client.on('error', () => undefined)
  return client
}

function readServerList(address: string): ServerList | null {
  try {
    return parseServerList(address)
  } catch (error) {
    if (!(error instanceof ServerListError)) throw error
    throw new Error(`the address of the database ${error.message}`, { cause: error })
  }
}

/**
 * Tries one server after the other. A standby that lags may not have the role or the database yet, so the servers after
 * one that has not are tried too.
 */
async function firstWritable(
  servers: readonly Server[],
  config: pg.ClientConfig,
  timeoutMs: number,
): Promise<{ server: Server; client: pg.Client }> {
  const reasons: string[] = []
  let misconfigured: unknown = null
  for (const server of servers) {
    try {
      const client = await connectWritable(server, config, timeoutMs)
      return { server, client }
    } catch (error) {
      if (isMisconfigured(error)) misconfigured ??= error
      reasons.push(`${server.host}:${server.port} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (misconfigured !== null) throw misconfigured
  throw new DatabaseAwayError('no_primary', `no server takes writes: ${reasons.join('; ')}`)
}

async function connectWritable(
  server: Server,
  config: pg.ClientConfig,
  timeoutMs: number,
): Promise<pg.Client> {
  const client = makeClient(config, server.url)
  const isReadOnly = watchReadOnly(client)
  await connectWithin(client, timeoutMs)
  if (isReadOnly()) {
    void client.end()
    throw readOnlyError()
  }
  return client
}

const takenOverError = (): DatabaseAwayError =>
  new DatabaseAwayError('connection_lost', 'another server has taken over')

export const readOnlyError = (): DatabaseAwayError =>
  new DatabaseAwayError('read_only', 'the server takes no writes')

/**
 * Listens for what a server says of itself, at the login and whenever it changes, without a query (PostgreSQL 14).
 *
 * @returns whether the server takes no writes
 */
export function watchReadOnly(client: pg.Client): () => boolean {
  const said = new Map<string, string>()
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
    said.set(parameterName ?? '', parameterValue ?? '')
  })
  return () => said.get('in_hot_standby') === 'on' || said.get('default_transaction_read_only') === 'on'
}
