/** One PostgreSQL server of a list. */
export interface Server {
  /** The address with this server alone, as the driver reads it. */
  readonly url: string
  readonly host: string
  readonly port: number
}

export type ServerList = readonly [Server, ...Server[]]

/** The address names several servers in a way that cannot be used. The message quotes none of it. */
export class ServerListError extends Error {
  override readonly name = 'ServerListError'
}

/** Each server has a share of the time to connect, which must stay long enough to log in. */
const SERVERS_MAX = 8
const PORT_DEFAULT = 5432
const PORT_MAX = 65_535

const SCHEME = /^postgres(?:ql)?:\/\//
const SERVER = /^(?:\[([0-9a-f:.]+)\]|((?:[\w.-]|%[0-9a-f]{2})+))(?::(\d{1,5}))?$/i

/**
 * Reads libpq's form of several servers, which the driver refuses:
 * `postgres://user@h1:5432,h2:5432/db?target_session_attrs=read-write`.
 *
 * @returns null if the address names one server; the driver reads it itself
 * @throws {ServerListError}
 */
export function parseServerList(address: string): ServerList | null {
  const { start, servers, rest } = partsOf(address)
  const query = new URLSearchParams(queryOf(rest))
  if (query.get('host')?.includes(',') === true)
    throw new ServerListError('must name its servers before the path, as in h1:5432,h2:5432/db')
  if (!servers.includes(',')) return null
  if (query.has('host') || query.has('port'))
    throw new ServerListError('must not name servers both before the path and in the query')
  // libpq's default, `any`, would accept a standby.
  if (query.get('target_session_attrs') !== 'read-write')
    throw new ServerListError('must have target_session_attrs=read-write, because it names several servers')
  const [first, ...others] = servers.split(',').map((text) => serverOf(text, start, rest))
  if (first === undefined || others.length >= SERVERS_MAX)
    throw new ServerListError(`must name at most ${SERVERS_MAX} servers`)
  return [first, ...others]
}

/** Each server's address by itself; the given one if it names one server. */
export const serverAddresses = (address: string): string[] =>
  parseServerList(address)?.map(({ url }) => url) ?? [address]

/** Parameters of an address that the driver would use instead of what the service sets for its connections. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'application_name',
  'binary',
  'client_encoding',
  'connectionTimeoutMillis',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'query_timeout',
  'replication',
  'statement_timeout',
])

/** The parameters of the address that would replace settings of the service. */
export const ownParametersOf = (address: string): string[] => [
  ...new Set([...new URLSearchParams(queryOf(address)).keys()].filter((name) => OWN_PARAMETERS.has(name))),
]

const queryOf = (text: string): string | undefined => /\?([^#]*)/.exec(text)?.[1]

/** The same address for another login. */
export function withLogin(address: string, user: string, password: string): string {
  const { scheme, servers, rest } = partsOf(address)
  if (scheme === '') throw new ServerListError('must begin with postgres:// to be given another login')
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${servers}${rest}`
}

/** `start` is the scheme with the login. All parts of an address of another form are empty but `rest`. */
function partsOf(address: string) {
  const [scheme = ''] = SCHEME.exec(address) ?? []
  const afterScheme = address.slice(scheme.length)
  const end = scheme === '' ? 0 : afterScheme.search(/[/?#]|$/)
  const authority = afterScheme.slice(0, end)
  const login = authority.slice(0, authority.lastIndexOf('@') + 1)
  return {
    scheme,
    start: scheme + login,
    servers: authority.slice(login.length),
    rest: afterScheme.slice(end),
  }
}

function serverOf(text: string, start: string, rest: string): Server {
  const [, literal, name, port] = SERVER.exec(text) ?? []
  const host = literal ?? decoded(name)
  const portNumber = Number(port ?? PORT_DEFAULT)
  if (host === null || portNumber < 1 || portNumber > PORT_MAX)
    throw new ServerListError('has a server that is not of the form host or host:port')
  return { url: `${start}${text}${rest}`, host, port: portNumber }
}

/** Null for a text that is missing or not UTF-8. */
function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}
