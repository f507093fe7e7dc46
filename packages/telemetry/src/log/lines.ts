/** Each field of a log line, and its type. A name means the same in every line. */
export const logFields = {
  action: 'text',
  address: 'text',
  attempt: 'number',
  audit_entry: 'text',
  became: 'text',
  by_ms: 'number',
  client_id: 'text',
  code: 'text',
  delivery: 'text',
  duration_ms: 'number',
  endpoint: 'text',
  err: 'error',
  errno: 'text',
  error: 'text',
  event: 'text',
  head: 'text',
  hint: 'text',
  internal: 'listener',
  limit: 'number',
  merchant: 'text',
  method: 'text',
  metrics: 'listener',
  most: 'number',
  object: 'text',
  operation: 'text',
  origin: 'text',
  outcome: 'text',
  param: 'text',
  pass: 'text',
  rail: 'text',
  rail_code: 'text',
  rails: 'texts',
  reason: 'text',
  reference: 'text',
  replayed: 'flag',
  request_id: 'text',
  route: 'text',
  spans: 'number',
  staff: 'text',
  status: 'number',
  usable: 'flag',
} as const

type LogField = keyof typeof logFields

interface Line {
  readonly apps: readonly ('api' | 'worker')[]
  readonly levels: readonly ('info' | 'warn' | 'error' | 'fatal')[]
  readonly fields: readonly LogField[]
}

/** Each log line by its message, except alerts. docs/operations.md describes them, and a test compares the two. */
export const logLines = {
  request: {
    apps: ['api'],
    levels: ['info', 'error'],
    fields: [
      'request_id',
      'method',
      'route',
      'status',
      'merchant',
      'staff',
      'object',
      'code',
      'param',
      'replayed',
      'duration_ms',
      'err',
    ],
  },
  'token refused': {
    apps: ['api'],
    levels: ['info'],
    fields: ['request_id', 'error', 'reason', 'client_id'],
  },
  'webhook attempt': {
    apps: ['worker'],
    levels: ['info'],
    fields: [
      'request_id',
      'delivery',
      'event',
      'merchant',
      'endpoint',
      'attempt',
      'status',
      'error',
      'duration_ms',
      'became',
    ],
  },
  'rail instructed': {
    apps: ['api', 'worker'],
    levels: ['info'],
    fields: ['merchant', 'object', 'rail', 'operation', 'reference'],
  },
  'no usable answer of a rail': {
    apps: ['api', 'worker'],
    levels: ['warn'],
    fields: ['rail', 'operation', 'outcome', 'status', 'rail_code', 'errno', 'duration_ms'],
  },
  'standby for reads': {
    apps: ['api'],
    levels: ['warn'],
    fields: ['usable'],
  },
  'audit entry': {
    apps: ['api', 'worker'],
    levels: ['info'],
    fields: ['audit_entry', 'action', 'request_id', 'head'],
  },
  'could not read the hash of an audit entry': {
    apps: ['api', 'worker'],
    levels: ['error'],
    fields: ['audit_entry', 'request_id', 'err'],
  },
  'sign-in refused': { apps: ['api'], levels: ['warn'], fields: ['reason'] },
  'logout token refused': { apps: ['api'], levels: ['warn'], fields: ['reason'] },
  'identity provider not found': { apps: ['api'], levels: ['warn'], fields: ['reason'] },
  'pass failed': { apps: ['worker'], levels: ['error'], fields: ['pass', 'err'] },
  'could not record the results of a pass': {
    apps: ['worker'],
    levels: ['error'],
    fields: ['pass', 'err'],
  },
  'waiting for the database': { apps: ['api', 'worker'], levels: ['warn'], fields: ['err'] },
  'connections may run out': { apps: ['api', 'worker'], levels: ['warn'], fields: ['most', 'limit'] },
  'searches miss accents in another case': { apps: ['api', 'worker'], levels: ['warn'], fields: [] },
  'database connection lost': { apps: ['api', 'worker'], levels: ['warn'], fields: ['err'] },
  'clock set by the database': { apps: ['api', 'worker'], levels: ['warn'], fields: ['by_ms'] },
  'could not read the time of the database': { apps: ['api', 'worker'], levels: ['warn'], fields: ['err'] },
  'could not record the build': { apps: ['api', 'worker'], levels: ['warn'], fields: ['err'] },
  'spans lost': { apps: ['api', 'worker'], levels: ['warn'], fields: ['spans'] },
  ready: { apps: ['api', 'worker'], levels: ['info'], fields: ['address', 'rails', 'internal', 'metrics'] },
  stopping: { apps: ['api', 'worker'], levels: ['info'], fields: [] },
  stopped: { apps: ['api', 'worker'], levels: ['info'], fields: [] },
  'start refused': { apps: ['api', 'worker'], levels: ['fatal'], fields: ['reason', 'hint', 'err'] },
  crashed: { apps: ['api', 'worker'], levels: ['fatal'], fields: ['err', 'origin'] },
} as const satisfies Record<string, Line>

type Lines = typeof logLines
type Message = keyof Lines
type Level = Lines[Message]['levels'][number]

interface Values {
  readonly text: string | null
  readonly texts: readonly string[]
  readonly number: number | null
  readonly flag: boolean
  readonly error: unknown
  /** As Node describes the address of a server. */
  readonly listener: object | string | null
}

type MessageAt<L extends Level> = {
  [M in Message]: L extends Lines[M]['levels'][number] ? M : never
}[Message]

type Facts<M extends Message> = {
  readonly [F in Lines[M]['fields'][number]]?: Values[(typeof logFields)[F]] | undefined
}

/** Writes one of the lines that have the level. */
export interface Say<L extends Level> {
  (message: MessageAt<L>): void
  <M extends MessageAt<L>>(facts: Facts<M>, message: M): void
}
